// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Test} from "forge-std/Test.sol";

import {DemoToken} from "../../src/demo/DemoToken.sol";
import {ISymbolBook} from "../../src/interfaces/ISymbolBook.sol";
import {SymbolBook} from "../../src/wallet/SymbolBook.sol";

contract SymbolBookTest is Test {
    SymbolBook private book = new SymbolBook(address(this));
    DemoToken private usdc = new DemoToken("USD Coin", "USDC", 6);
    DemoToken private weth = new DemoToken("Wrapped Ether", "WETH", 18);

    function test_a_listed_token_is_found_both_ways() public {
        vm.expectEmit(address(book));
        emit ISymbolBook.SymbolListed("usdc", address(usdc), 6);
        book.list("USDC", address(usdc));
        (address token, uint8 decimals) = book.find("usdc");
        assertEq(token, address(usdc));
        assertEq(decimals, 6);
        (bytes32 symbol, uint8 same) = book.symbolOf(address(usdc));
        assertEq(symbol, "usdc");
        assertEq(same, 6);
    }

    function test_what_is_not_listed_is_zero() public {
        (address token,) = book.find("usdc");
        assertEq(token, address(0));
        book.list("USDC", address(usdc));
        (token,) = book.find("USDC"); // lookups are by lower case
        assertEq(token, address(0));
        (bytes32 symbol,) = book.symbolOf(address(weth));
        assertEq(symbol, 0);
    }

    function test_the_pointer_holds_one_word_per_entry() public {
        assertEq(book.pointer().code, hex"00");
        book.list("USDC", address(usdc));
        book.list("wEth", address(weth));
        assertEq(
            book.pointer().code,
            abi.encodePacked(
                hex"00",
                bytes11("usdc"),
                uint8(6),
                address(usdc),
                bytes11("weth"),
                uint8(18),
                address(weth)
            )
        );
    }

    function test_entries_are_in_the_order_of_listing() public {
        book.list("USDC", address(usdc));
        book.list("WETH", address(weth));
        (bytes32[] memory symbols, address[] memory tokens, uint8[] memory decimals) =
            book.entries();
        assertEq(symbols.length, 2);
        assertEq(symbols[1], "weth");
        assertEq(tokens[0], address(usdc));
        assertEq(decimals[1], 18);
    }

    function test_unlisting_keeps_the_others() public {
        DemoToken dai = new DemoToken("Dai", "DAI", 18);
        book.list("USDC", address(usdc));
        book.list("WETH", address(weth));
        book.list("DAI", address(dai));
        vm.expectEmit(address(book));
        emit ISymbolBook.SymbolUnlisted("weth", address(weth));
        book.unlist("weth");
        (bytes32[] memory symbols,,) = book.entries();
        assertEq(symbols.length, 2);
        assertEq(symbols[0], "usdc");
        assertEq(symbols[1], "dai");
        vm.expectRevert(
            abi.encodeWithSelector(ISymbolBook.SymbolNotListed.selector, bytes32("weth"))
        );
        book.unlist("WETH");
    }

    function test_decimals_are_pinned_at_listing() public {
        book.list("USDC", address(usdc));
        vm.mockCall(address(usdc), abi.encodeCall(usdc.decimals, ()), abi.encode(uint8(0)));
        (, uint8 decimals) = book.find("usdc");
        assertEq(decimals, 6);
    }

    function test_a_symbol_names_one_token_and_a_token_has_one_symbol() public {
        book.list("USDC", address(usdc));
        vm.expectRevert(
            abi.encodeWithSelector(ISymbolBook.SymbolAlreadyListed.selector, bytes32("usdc"), usdc)
        );
        book.list("usdC", address(weth));
        vm.expectRevert(
            abi.encodeWithSelector(ISymbolBook.TokenAlreadyListed.selector, usdc, bytes32("usdc"))
        );
        book.list("USD", address(usdc));
    }

    function test_symbols_are_2_to_11_letters_and_digits() public {
        string[10] memory bad = [
            "",
            "A",
            "ABCDEFGHIJKL",
            "1INCH",
            "US DC",
            "USD-C",
            "USDC.e",
            unicode"USD₮",
            "US\x00C",
            "0x"
        ];
        for (uint256 i = 0; i < bad.length; ++i) {
            vm.expectRevert(abi.encodeWithSelector(ISymbolBook.MalformedSymbol.selector, bad[i]));
            book.list(bad[i], address(usdc));
        }
        book.list("ABCDEFGHIJK", address(usdc));
        book.list("a1", address(weth));
        (address token,) = book.find("abcdefghijk");
        assertEq(token, address(usdc));
    }

    function test_words_with_a_meaning_are_reserved() public {
        string[20] memory words = [
            "all",
            "MAX",
            "To",
            "from",
            "of",
            "the",
            "my",
            "in",
            "into",
            "out",
            "pool",
            "wallet",
            "balance",
            "everything",
            "send",
            "Deposit",
            "withdraw",
            "transfer",
            "deploy",
            "your"
        ];
        for (uint256 i = 0; i < words.length; ++i) {
            vm.expectRevert(abi.encodeWithSelector(ISymbolBook.ReservedSymbol.selector, words[i]));
            book.list(words[i], address(usdc));
        }
        book.list("pools", address(usdc)); // only whole words
        book.list("al", address(weth));
    }

    function test_what_continues_a_number_is_reserved() public {
        string[14] memory parts = [
            "E18",
            "e6",
            "e0",
            "E18USDC",
            "x10",
            "X2",
            "MM",
            "BN",
            "WEI",
            "GWEI",
            "PCT",
            "bps",
            "mio",
            "half"
        ];
        for (uint256 i = 0; i < parts.length; ++i) {
            vm.expectRevert(abi.encodeWithSelector(ISymbolBook.ReservedSymbol.selector, parts[i]));
            book.list(parts[i], address(usdc));
        }
        book.list("X2Y2", address(usdc)); // a name, not a factor
        book.list("ee18", address(weth));
    }

    function test_a_new_owner_has_to_accept() public {
        address heir = makeAddr("heir");
        book.transferOwnership(heir);
        assertEq(book.owner(), address(this));
        book.list("USDC", address(usdc));
        vm.prank(heir);
        book.acceptOwnership();
        assertEq(book.owner(), heir);
        vm.expectRevert(
            abi.encodeWithSelector(Ownable.OwnableUnauthorizedAccount.selector, address(this))
        );
        book.list("WETH", address(weth));
    }

    function test_only_the_owner_lists_and_unlists() public {
        address stranger = makeAddr("stranger");
        bytes memory refusal =
            abi.encodeWithSelector(Ownable.OwnableUnauthorizedAccount.selector, stranger);
        vm.startPrank(stranger);
        vm.expectRevert(refusal);
        book.list("USDC", address(usdc));
        vm.expectRevert(refusal);
        book.unlist("USDC");
    }

    function test_a_token_with_absurd_decimals_is_refused() public {
        DemoToken odd = new DemoToken("Odd", "ODD", 78);
        vm.expectRevert(
            abi.encodeWithSelector(ISymbolBook.TooManyDecimals.selector, odd, uint8(78))
        );
        book.list("ODD", address(odd));
    }
}
