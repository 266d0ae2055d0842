// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @title Something that an agent can use: a wrapped contract function or another agent
/// @notice ABI of the on-chain agents ERC, unchanged.
interface IERCAgentTool {
    /// @notice Types of a tool's parameters. `BOOL_ARAY` is spelled as in the ERC.
    enum ParamType {
        STRING,
        ADDRESS,
        BOOL,
        INT,
        UINT,
        STRING_ARRAY,
        ADDRESS_ARRAY,
        BOOL_ARAY,
        INT_ARRAY,
        UINT_ARRAY
    }

    /// @notice All parameters of a tool, in order.
    struct InputDescription {
        ParamDescription[] paramDescriptions;
    }

    /// @notice One parameter of a tool.
    struct ParamDescription {
        ParamType paramType;
        string name;
        string description;
    }

    /// @notice One argument: `value` is its ABI encoding on its own.
    struct ParamValue {
        ParamType paramType;
        bytes value;
    }

    /// @notice All arguments of one call, one by one and encoded together.
    struct Input {
        /// @notice The arguments in the order of the input description, for checks and overrides.
        ParamValue[] params;
        /// @notice The arguments encoded together, as `abi.encode(a, b, ...)` does.
        bytes abiEncodedParams;
    }

    /// @notice Short name, by which agents choose the tool.
    function name() external view returns (string memory);

    /// @notice What the tool does and when to use it.
    function description() external view returns (string memory);

    /// @notice The parameters that `run` expects.
    function inputDescription() external view returns (InputDescription memory);

    /// @notice Runs the tool.
    /// @param input Arguments that match `inputDescription`.
    /// @param resultHandler Receives the result of an asynchronous tool; unused by a synchronous
    ///   one.
    /// @return runId -1 when the result is returned at once, otherwise the id of the pending run.
    /// @return result The result; only meaningful when `runId` is -1.
    function run(Input memory input, address resultHandler)
        external
        returns (int256 runId, string memory result);
}
