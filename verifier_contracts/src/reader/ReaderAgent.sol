// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IERC165} from "@openzeppelin/contracts/utils/introspection/IERC165.sol";
import {SSTORE2} from "solady/src/utils/SSTORE2.sol";

import {AgentBase} from "../agents/AgentBase.sol";
import {CautiousAgent} from "../agents/CautiousAgent.sol";
import {OwnedAgent} from "../agents/OwnedAgent.sol";
import {AgentTool} from "../agents/ToolPins.sol";
import {IAgentExecutor} from "../interfaces/IAgentExecutor.sol";
import {IContactBook, IContactBookUser} from "../interfaces/IContactBook.sol";
import {IReadingAgent} from "../interfaces/IReadingAgent.sol";
import {ISymbolBook, ISymbolBookUser} from "../interfaces/ISymbolBook.sol";
import {IERCAgentTool} from "../interfaces/erc/IERCAgentTool.sol";
import {ToolReading} from "./ToolReading.sol";
import {ToolTextPins} from "./ToolTextPins.sol";

/// @notice What an agent that reads its tools is made with.
/// @param executor Who makes the decisions.
/// @param modelId The reader's registry number in decimal.
/// @param commitment The reader that its owner means: its commitment hash in the registry.
/// @param owner Whom the agent obeys, and whom "me" means.
/// @param symbols The tokens that prompts may name by symbols; zero for none.
/// @param contacts The accounts that prompts may name; zero for none.
/// @param caution See `IInstructedAgent.caution`; zero for the reader's own margins.
struct ReaderSetup {
    IAgentExecutor executor;
    string modelId;
    bytes32 commitment;
    address owner;
    ISymbolBook symbols;
    IContactBook contacts;
    uint256 caution;
}

/// @title An agent that chooses among its tools by what they say of themselves, for its owner
/// @notice Derive from it, and hand it the tools: up to eight, whatever they do. What they say, examples
///   among it, is read when the agent is made and pinned: a tool that describes itself otherwise later is not
///   called any more.
abstract contract ReaderAgent is CautiousAgent, IReadingAgent, ISymbolBookUser {
    /// @dev A decision that acts, and the answer.
    uint16 internal constant MAX_ITERATIONS = 2;

    ISymbolBook private immutable _symbols;
    IContactBook private immutable _contacts;
    /// @dev The contract whose code says what `toolTexts` returns.
    address private immutable _texts;
    /// @dev Tools that said that they only look, when they were pinned.
    mapping(address tool => bool) private _looking;

    constructor(
        ReaderSetup memory setup,
        string memory name_,
        string memory description_,
        string memory inputDescription_,
        AgentTool[] memory tools_
    )
        AgentBase(
            setup.executor,
            setup.modelId,
            setup.commitment,
            name_,
            description_,
            inputDescription_,
            "You call the one of your tools that the prompt means, or say that it means none.",
            tools_,
            MAX_ITERATIONS
        )
        OwnedAgent(setup.owner)
        CautiousAgent(setup.caution)
    {
        (_symbols, _contacts) = (setup.symbols, setup.contacts);
        bytes32[] memory texts;
        (texts, _texts) = ToolTextPins.pin(setup.executor.registry(), setup.modelId, tools_);
        for (uint256 i = 0; i < texts.length; ++i) {
            if (uint256(texts[i]) & ToolReading.LOOKS == 0) continue;
            _looking[address(tools_[i].tool)] = true;
        }
    }

    /// @inheritdoc IReadingAgent
    function toolTexts() external view returns (bytes32[] memory texts) {
        texts; // named for the ABI: the call ends below
        bytes memory encoded = SSTORE2.read(_texts);
        assembly ("memory-safe") {
            return(add(encoded, 32), mload(encoded))
        }
    }

    /// @inheritdoc ISymbolBookUser
    function symbolBook() external view returns (ISymbolBook) {
        return _symbols;
    }

    /// @inheritdoc IContactBookUser
    function contactBook() external view returns (IContactBook) {
        return _contacts;
    }

    /// @inheritdoc IERC165
    function supportsInterface(bytes4 interfaceId) public view virtual override returns (bool) {
        return
            interfaceId == type(IReadingAgent).interfaceId
                || AgentBase.supportsInterface(interfaceId);
    }

    /// @dev Questions may call what only looks, so no word of a tool is believed for it.
    function _onlyLooks(IERCAgentTool tool) internal view override returns (bool) {
        return _looking[address(tool)];
    }
}
