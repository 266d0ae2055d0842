// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Test} from "forge-std/Test.sol";
import {SSTORE2} from "solady/src/utils/SSTORE2.sol";

import {IContactBook} from "../../src/interfaces/IContactBook.sol";
import {ISymbolBook} from "../../src/interfaces/ISymbolBook.sol";
import {ContactBook} from "../../src/wallet/ContactBook.sol";

contract ContactBookTest is Test {
    ContactBook private book = new ContactBook(address(this));
    address private bob = makeAddr("bob");
    address private carol = makeAddr("carol");

    function test_a_contact_is_found_by_its_name_in_lower_case() public {
        vm.expectEmit(address(book));
        emit IContactBook.ContactListed("bob", bob);
        book.list("Bob", bob);
        assertEq(book.find("bob"), bob);
        assertEq(book.find("Bob"), address(0));
        assertEq(book.find("bo"), address(0));
    }

    function test_the_pointer_holds_one_word_per_contact() public {
        assertEq(book.pointer().code, hex"00");
        book.list("bob", bob);
        book.list("carol", carol);
        assertEq(
            book.pointer().code,
            abi.encodePacked(
                hex"00", bytes11("bob"), uint8(0), bob, bytes11("carol"), uint8(0), carol
            )
        );
        (bytes32[] memory names, address[] memory accounts) = book.entries();
        assertEq(names.length, 2);
        assertEq(names[1], "carol");
        assertEq(accounts[0], bob);
    }

    function test_two_names_may_stand_for_one_account_but_no_name_for_two() public {
        book.list("bob", bob);
        book.list("bobby", bob);
        vm.expectRevert(
            abi.encodeWithSelector(IContactBook.ContactAlreadyListed.selector, bytes32("bob"), bob)
        );
        book.list("BOB", carol);
        assertEq(book.find("bob"), bob);
    }

    function test_unlisting_takes_off_that_name_alone() public {
        book.list("bob", bob);
        book.list("carol", carol);
        vm.expectEmit(address(book));
        emit IContactBook.ContactUnlisted("bob", bob);
        book.unlist("Bob");
        assertEq(book.find("bob"), address(0));
        assertEq(book.find("carol"), carol);
        vm.expectRevert(
            abi.encodeWithSelector(IContactBook.ContactNotListed.selector, bytes32("bob"))
        );
        book.unlist("bob");
        book.list("bob", carol);
        assertEq(book.find("bob"), carol);
    }

    function test_words_that_mean_something_else_are_no_names() public {
        string[5] memory reserved = ["all", "me", "myself", "Own", "five"];
        for (uint256 i = 0; i < reserved.length; ++i) {
            vm.expectRevert(
                abi.encodeWithSelector(ISymbolBook.ReservedSymbol.selector, reserved[i])
            );
            book.list(reserved[i], bob);
        }
        string[4] memory malformed = ["b", "robert-paulson", "b b", "0xbob"];
        for (uint256 i = 0; i < malformed.length; ++i) {
            vm.expectRevert(
                abi.encodeWithSelector(ISymbolBook.MalformedSymbol.selector, malformed[i])
            );
            book.list(malformed[i], bob);
        }
        vm.expectRevert(abi.encodeWithSelector(IContactBook.ContactWithoutAccount.selector, "bob"));
        book.list("bob", address(0));
    }

    function test_only_the_owner_lists_and_unlists() public {
        book.list("bob", bob);
        vm.startPrank(bob);
        bytes memory refusal =
            abi.encodeWithSelector(Ownable.OwnableUnauthorizedAccount.selector, bob);
        vm.expectRevert(refusal);
        book.list("carol", carol);
        vm.expectRevert(refusal);
        book.unlist("bob");
    }

    function test_the_book_is_full_where_its_code_is() public {
        bytes memory almost;
        for (uint256 i = 0; i < 766; ++i) {
            almost = abi.encodePacked(almost, bytes11(uint88(i + 1)), uint8(0), bob);
        }
        bytes32 pointer = bytes32(uint256(uint160(SSTORE2.write(almost))));
        vm.store(address(book), bytes32(uint256(2)), pointer);
        book.list("bob", bob);
        assertEq(book.pointer().code.length, 1 + 767 * 32);
        vm.expectRevert(abi.encodeWithSelector(IContactBook.ContactBookIsFull.selector, 767));
        book.list("carol", carol);
    }
}
