// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {ICriteriaDao} from "../interfaces/ICriteriaDao.sol";
import {IERCAgentTool} from "../interfaces/erc/IERCAgentTool.sol";
import {ToolMetadata} from "../tools/ToolMetadata.sol";

/// @title The tool by which an agent reads a DAO's criteria
contract CriteriaTool is ToolMetadata {
    ICriteriaDao private immutable _dao;

    /// @param dao_ Whose criteria are read.
    constructor(ICriteriaDao dao_)
        ToolMetadata(
            "LoanCriteria",
            "Reads the criteria for loans, as the DAO voted them",
            InputDescription(new ParamDescription[](0))
        )
    {
        _dao = dao_;
    }

    /// @inheritdoc IERCAgentTool
    /// @dev Reads what anybody may read, so anybody may call.
    function run(Input calldata, address) external view returns (int256 runId, string memory) {
        return (-1, _dao.criteria());
    }

    /// @notice Whose criteria are read.
    function dao() external view returns (ICriteriaDao) {
        return _dao;
    }
}
