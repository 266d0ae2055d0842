// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Test} from "forge-std/Test.sol";

import {IGroth16Verifier} from "../../src/interfaces/IGroth16Verifier.sol";
import {Bn254} from "../../src/verifiers/Bn254.sol";

/// @dev The library's calls, each from a frame of its own, on numbers in memory.
contract Curve {
    function multiply(uint256[2] memory point, uint256 factor)
        external
        view
        returns (uint256[2] memory product)
    {
        Bn254.multiply(_at(point), factor, _at(product));
    }

    /// @return sum `sum` and the points times their factors.
    /// @return kept What lay right before free memory.
    function addMultiples(
        uint256[2][] memory points,
        uint256[] memory factors,
        uint256[2] memory sum
    ) external view returns (uint256[2] memory, uint256 kept) {
        uint256[8] memory last = [uint256(1), 2, 3, 4, 5, 6, 7, 8];
        uint256[] memory flat = new uint256[](2 * points.length);
        for (uint256 i = 0; i < points.length; ++i) {
            (flat[2 * i], flat[2 * i + 1]) = (points[i][0], points[i][1]);
        }
        uint256 factorsAt;
        uint256 flatAt;
        assembly ("memory-safe") {
            factorsAt := add(factors, 32)
            flatAt := add(flat, 32)
        }
        Bn254.addMultiples(flatAt, factorsAt, factors.length, _at(sum));
        for (uint256 i = 0; i < 8; ++i) {
            kept = 10 * kept + last[i];
        }
        return (sum, kept);
    }

    function addMultiple(uint256[2] memory point, uint256 factor, uint256[2] memory sum)
        external
        view
        returns (uint256[2] memory, uint256 kept)
    {
        uint256[4] memory last = [uint256(1), 2, 3, 4];
        Bn254.addMultiple(_at(point), factor, _at(sum));
        return (sum, 1000 * last[0] + 100 * last[1] + 10 * last[2] + last[3]);
    }

    function isOne(uint256[] memory pairs) external view returns (bool) {
        uint256 place;
        assembly ("memory-safe") {
            place := add(pairs, 32)
        }
        return Bn254.isOne(place, pairs.length / 6);
    }

    function _at(uint256[2] memory point) private pure returns (uint256 place) {
        assembly ("memory-safe") {
            place := point
        }
    }
}

contract Bn254Test is Test {
    Curve private immutable _CURVE = new Curve();
    /// @dev A precompile that refuses takes nearly all that it is given.
    uint256 private constant GAS = 3_000_000;
    uint256 private constant P =
        21_888_242_871_839_275_222_246_405_745_257_275_088_696_311_157_297_823_662_689_037_894_645_226_208_583;

    function _one() private pure returns (uint256[2] memory) {
        return [uint256(1), 2];
    }

    function _minusOne() private pure returns (uint256[2] memory) {
        return [uint256(1), P - 2];
    }

    function _off() private pure returns (uint256[2] memory) {
        return [uint256(5), 7];
    }

    function _refused(uint256[2] memory point) private {
        vm.expectRevert(
            abi.encodeWithSelector(IGroth16Verifier.PointRefused.selector, point[0], point[1])
        );
    }

    function test_multiples_add_up() public view {
        uint256[2][] memory points = new uint256[2][](2);
        uint256[] memory factors = new uint256[](2);
        (points[0], points[1]) = (_one(), _minusOne());
        (factors[0], factors[1]) = (11, 4);
        (uint256[2] memory sum, uint256 kept) =
            _CURVE.addMultiples(points, factors, _CURVE.multiply(_one(), 3));
        assertEq(abi.encode(sum), abi.encode(_CURVE.multiply(_one(), 10)));
        assertEq(kept, 12_345_678);
        (sum, kept) = _CURVE.addMultiple(_minusOne(), 9, sum);
        assertEq(abi.encode(sum), abi.encode(_one()));
        assertEq(kept, 1234);
        (sum,) = _CURVE.addMultiple(_minusOne(), 1, sum);
        assertEq(abi.encode(sum), abi.encode([uint256(0), 0]));
    }

    function test_a_point_that_is_none_is_named() public {
        _refused(_off());
        _CURVE.multiply{gas: GAS}(_off(), 1);
        _refused(_off());
        _CURVE.addMultiple{gas: GAS}(_off(), 1, _one());
        uint256[2][] memory points = new uint256[2][](3);
        uint256[] memory factors = new uint256[](3);
        (factors[0], factors[1], factors[2]) = (1, 1, 1);
        for (uint256 i = 0; i < 3; ++i) {
            (points[0], points[1], points[2]) = (_one(), _one(), _one());
            points[i] = [uint256(5 + i), 7];
            _refused(points[i]);
            _CURVE.addMultiples{gas: GAS}(points, factors, _one());
        }
        points[2] = _one();
        _refused(_one());
        _CURVE.addMultiples{gas: GAS}(points, factors, _off());
    }

    function test_a_chain_without_the_curve_refuses() public {
        uint256[] memory pairs = new uint256[](12);
        for (uint160 missing = 6; missing < 9; ++missing) {
            vm.mockCall(address(missing), bytes(""), bytes(""));
            if (missing == 7) {
                _refused(_one());
                _CURVE.multiply(_one(), 1);
            }
            if (missing == 8) {
                vm.expectRevert(IGroth16Verifier.PairingRefused.selector);
                _CURVE.isOne(pairs);
            } else {
                _refused(_one());
                _CURVE.addMultiple(_one(), 1, _one());
            }
            vm.clearMockedCalls();
        }
        assertTrue(_CURVE.isOne(pairs));
    }

    function test_a_call_that_fails_with_as_many_bytes_refuses() public {
        vm.mockCallRevert(address(7), bytes(""), new bytes(64));
        _refused(_one());
        _CURVE.multiply(_one(), 1);
        _refused(_one());
        _CURVE.addMultiple(_one(), 1, _one());
        vm.clearMockedCalls();
        vm.mockCallRevert(address(6), bytes(""), new bytes(64));
        _refused(_one());
        _CURVE.addMultiple(_one(), 1, _one());
        vm.mockCallRevert(address(8), bytes(""), abi.encode(1));
        vm.expectRevert(IGroth16Verifier.PairingRefused.selector);
        _CURVE.isOne(new uint256[](12));
    }
}
