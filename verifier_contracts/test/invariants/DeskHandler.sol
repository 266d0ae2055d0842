// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Claim, IAgentExecutor, RunTerms} from "../../src/interfaces/IAgentExecutor.sol";
import {IProvenAgent} from "../../src/interfaces/IProvenAgent.sol";
import {IRequestDesk, Order, Request, RequestStatus} from "../../src/interfaces/IRequestDesk.sol";
import {IERCAgentClient} from "../../src/interfaces/erc/IERCAgentClient.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";
import {EchoTool} from "../fakes/FakeTools.sol";
import {HostileClient} from "../requests/Clients.sol";
import {DeskWorld} from "../requests/DeskWorld.sol";

/// @dev Does a call on the way, and goes on whatever comes of it; answers at once, or when it is told to.
contract SwallowingTool is EchoTool {
    address private _target;
    bytes private _data;
    bool private _later;
    int256 private _asked;
    int256 private _answered;
    mapping(int256 toolRunId => IERCAgentClient) private _handlers;

    function arm(address target, bytes calldata data) external {
        (_target, _data) = (target, data);
    }

    function takeTime(bool later) external {
        _later = later;
    }

    /// @dev All questions that are open.
    function answer() external {
        while (_answered != _asked) {
            IERCAgentClient handler = _handlers[_answered];
            handler.handleAgentResult(_answered++, "done");
        }
    }

    function run(Input calldata, address handler)
        external
        override
        returns (int256, string memory)
    {
        if (_data.length != 0) {
            (bool ignored,) = _target.call(_data);
            ignored;
        }
        if (!_later) return (-1, "done");
        _handlers[_asked] = IERCAgentClient(handler);
        return (_asked++, "");
    }
}

/// @dev Requesters, operators, handlers, payees and a tool that all come back to the desk for whatever
///   they can, and a judge who remembers how far each request was. By status, not by events: those of
///   calls that were undone are recorded, too.
contract DeskHandler is DeskWorld {
    uint256 private constant CLIENTS = 3;

    SwallowingTool private _hostile = new SwallowingTool();
    HostileClient[] private _clients;
    /// @dev Encoded: storage takes no lists of facts.
    mapping(uint256 id => bytes) private _posted;
    uint256[] private _ids;
    bool private _otherModel;

    mapping(uint256 id => RequestStatus) private _seen;
    mapping(RequestStatus => uint256) public reached;
    /// @dev Requests that waited and came to an answer.
    uint256 public resumed;
    /// @dev The first thing that must not be; empty while all is well.
    string public wrong;

    constructor() {
        (agent, desk) = deskWith(_hostile, address(0));
        for (uint256 i = 0; i < CLIENTS; ++i) {
            _clients.push(new HostileClient(desk));
            vm.deal(address(_clients[i]), 1000 ether);
        }
        vm.deal(address(this), 1000 ether);
    }

    modifier judged() {
        _;
        judge();
    }

    function post(uint256 seed) external judged {
        HostileClient client = _clients[seed % CLIENTS];
        Order memory o = order(address(client), 150_000);
        o.fee = (seed >> 8) % 3 == 0 ? 0 : (seed >> 16) % 1 ether;
        o.deadline = uint64(block.timestamp + 1 + (seed >> 32) % 1 hours);
        if ((seed >> 64) % 3 == 0) (o.handler, o.gasForCallback) = (address(0), 0);
        Request memory r = Request(address(client), _model(), o);
        client.set(HostileClient.Act.TAKE);
        client.forward(address(desk), o.fee, abi.encodeCall(desk.place, (o)));
        _ids.push(desk.requestCount());
        _posted[desk.requestCount()] = abi.encode(r);
    }

    /// @dev With the true claims, or none of them; whoever is called on the way comes back.
    function answer(uint256 seed) external judged {
        if (_ids.length == 0) return;
        uint256 id = _pick(seed);
        Request memory r = _request(id);
        if (_otherModel) return;
        _hostile.arm(address(desk), _misdeed(seed >> 8, id));
        bool later = (seed >> 216) % 3 == 0;
        _hostile.takeTime(later);
        (Claim[] memory claims, bytes[] memory proofs) =
            later ? plan(IProvenAgent(address(desk)), PROMPT, list(output(CALL, 0))) : planned();
        if ((seed >> 200) % 8 == 0) (claims, proofs) = (new Claim[](0), new bytes[](0));
        RunTerms memory terms = termsFor(claims);
        if (r.order.handler != address(0)) {
            _prepare(HostileClient(payable(r.order.handler)), seed, id);
        }
        vm.prank(_operator(seed));
        try desk.fulfil(id, r, claims, proofs, terms) {} catch {}
    }

    /// @dev Whether or not the tool has answered; the run may wait again.
    function resume(uint256 seed) external judged {
        if (_ids.length == 0 || _otherModel) return;
        uint256 id = _pick(seed);
        if (desk.statusOf(id) != RequestStatus.WAITING) return;
        if ((seed >> 232) % 4 != 0) _hostile.answer();
        Request memory r = _request(id);
        _hostile.takeTime((seed >> 216) % 4 == 0);
        bytes memory y = (seed >> 216) % 4 == 0 ? output(CALL, 0) : output(ANSWER, 5);
        (Claim[] memory claims, bytes[] memory proofs) = _claimed(id, y);
        RunTerms memory terms = termsFor(claims);
        _hostile.arm(address(desk), _misdeed(seed >> 8, id));
        if (r.order.handler != address(0)) {
            _prepare(HostileClient(payable(r.order.handler)), seed, id);
        }
        vm.prank(_operator(seed));
        try desk.resume(id, r, claims, proofs, terms) {} catch {}
    }

    function refund(uint256 seed) external judged {
        if (_ids.length == 0) return;
        uint256 id = _pick(seed);
        try desk.refund(id, _request(id)) {} catch {}
    }

    function fail(uint256 seed) external judged {
        if (_ids.length == 0) return;
        uint256 id = _pick(seed);
        try desk.fail(id, _request(id)) {} catch {}
    }

    function deliver(uint256 seed) external judged {
        if (_ids.length == 0) return;
        uint256 id = _pick(seed);
        Request memory r = _request(id);
        if (r.order.handler == address(0)) return;
        _prepare(HostileClient(payable(r.order.handler)), seed, id);
        try desk.deliver(id, r, "answer 5") {} catch {}
    }

    function take(uint256 seed) external judged {
        HostileClient client = _clients[seed % CLIENTS];
        uint256 due = desk.balanceOf(address(client));
        uint256 amount = (seed >> 8) % 4 == 0 ? due + 1 : due;
        client.set(HostileClient.Act.REENTER);
        client.aim(address(desk), abi.encodeCall(desk.withdraw, (payable(client), due)));
        bytes memory data = abi.encodeCall(desk.withdraw, (payable(client), amount));
        try client.forward(address(desk), 0, data) {
            if (amount > due) wrong = "more was paid than owed";
        } catch {}
        vm.prank(_operator(seed));
        try desk.withdraw(payable(_operator(seed)), (seed >> 16) % 1 ether) {} catch {}
    }

    function deposit(uint256 seed) external judged {
        desk.deposit{value: seed % 1 ether}(address(_clients[seed % CLIENTS]));
    }

    function wait_(uint256 seed) external {
        skip(seed % 2 hours);
    }

    function changeModel(uint256 seed) external {
        _otherModel = seed % 2 == 0;
        bytes memory asked_ = abi.encodeWithSelector(IProvenAgent.pinnedCommitment.selector);
        vm.clearMockedCalls();
        if (_otherModel) vm.mockCall(address(agent), asked_, abi.encode(keccak256("another")));
    }

    // The judge

    function judge() public {
        for (uint256 id = 1; id <= desk.requestCount(); ++id) {
            RequestStatus status = desk.statusOf(id);
            if (status != _seen[id] && !_follows(_seen[id], status)) {
                wrong = "a request went where none goes from there";
            }
            if (status != _seen[id]) ++reached[status];
            bool answered = status == RequestStatus.DELIVERED || status == RequestStatus.ANSWERED;
            if (_seen[id] == RequestStatus.WAITING && answered) ++resumed;
            _seen[id] = status;
        }
        if (_told() != _delivered()) wrong = "results were not told once each";
    }

    /// @dev What the desk holds for open requests; those of tools and handlers pay nothing.
    function held() external view returns (uint256 sum) {
        for (uint256 i = 0; i < _ids.length; ++i) {
            RequestStatus status = desk.statusOf(_ids[i]);
            if (status == RequestStatus.PENDING || status == RequestStatus.WAITING) {
                sum += _request(_ids[i]).order.fee;
            }
        }
    }

    function owed() external view returns (uint256 sum) {
        for (uint256 i = 0; i < CLIENTS; ++i) {
            sum += desk.balanceOf(address(_clients[i]));
        }
        sum += desk.balanceOf(_operator(0)) + desk.balanceOf(_operator(1));
        sum += desk.balanceOf(address(_hostile)) + desk.balanceOf(address(this));
    }

    function deskAddress() external view returns (address) {
        return address(desk);
    }

    /// @dev Requests that were posted from inside of a run or a callback.
    function reentries() external view returns (uint256) {
        return desk.requestCount() - _ids.length;
    }

    // Vocabulary

    function _follows(RequestStatus from, RequestStatus to) private pure returns (bool) {
        if (from == RequestStatus.NONE) return to != RequestStatus.RUNNING;
        if (from == RequestStatus.ANSWERED) return to == RequestStatus.DELIVERED;
        bool open = from == RequestStatus.PENDING || from == RequestStatus.WAITING;
        return open && to > RequestStatus.RUNNING;
    }

    function _told() private view returns (uint256 sum) {
        for (uint256 i = 0; i < CLIENTS; ++i) {
            sum += _clients[i].calls();
        }
    }

    function _delivered() private view returns (uint256 sum) {
        for (uint256 i = 0; i < _ids.length; ++i) {
            bool has = _request(_ids[i]).order.handler != address(0);
            if (has && desk.statusOf(_ids[i]) == RequestStatus.DELIVERED) ++sum;
        }
    }

    /// @dev Of the decision that a run that goes on lacks; none where its tool has not answered.
    function _claimed(uint256 id, bytes memory y)
        private
        returns (Claim[] memory claims, bytes[] memory proofs)
    {
        try desk.simulateResume(id, claims) {
            revert("simulateResume returned");
        } catch (bytes memory reason) {
            if (bytes4(reason) != IAgentExecutor.MissingDecision.selector) return (claims, proofs);
            Missing memory m = missingIn(reason);
            claims = append(claims, Claim(m.modelId, keccak256(m.features), y));
            proofs = append(proofs, truth(m.features, y));
        }
    }

    function _request(uint256 id) private view returns (Request memory) {
        return abi.decode(_posted[id], (Request));
    }

    /// @dev Recent ones more often.
    function _pick(uint256 seed) private view returns (uint256) {
        uint256 n = _ids.length;
        return _ids[seed % 2 == 0 ? n - 1 - (seed >> 1) % (n < 4 ? n : 4) : (seed >> 1) % n];
    }

    function _operator(uint256 seed) private pure returns (address) {
        return address(uint160(0xabc0 + seed % 2));
    }

    function _prepare(HostileClient client, uint256 seed, uint256 id) private {
        HostileClient.Act[6] memory acts = [
            HostileClient.Act.TAKE,
            HostileClient.Act.REVERT,
            HostileClient.Act.EAT_GAS,
            HostileClient.Act.BOMB,
            HostileClient.Act.REENTER,
            HostileClient.Act.LEAVE
        ];
        client.set(acts[(seed >> 128) % 6]);
        client.aim(address(desk), _misdeed(seed >> 136, id));
    }

    function _misdeed(uint256 seed, uint256 about) private view returns (bytes memory) {
        uint256 kind = seed % 8;
        uint256 id = seed % 2 == 0 ? about : _pick(seed >> 8);
        Request memory r = _request(id);
        if (kind == 0) return "";
        if (kind == 1) return abi.encodeCall(desk.refund, (id, r));
        if (kind == 2) return abi.encodeCall(desk.fail, (id, r));
        if (kind == 3) return abi.encodeCall(desk.deliver, (id, r, "answer 5"));
        if (kind == 4) return abi.encodeCall(desk.withdraw, (payable(address(this)), 1));
        if (kind == 5) {
            IERCAgentTool.Input memory input = inputOf(PROMPT);
            return abi.encodeCall(desk.simulate, (input, new Claim[](0)));
        }
        if (kind == 6) {
            RunTerms memory terms;
            return abi.encodeCall(desk.resume, (id, r, new Claim[](0), new bytes[](0), terms));
        }
        return abi.encodeCall(desk.request, (PROMPT, 0, uint64(block.timestamp + 1 hours), 0));
    }

    function _model() private view returns (bytes32) {
        return IProvenAgent(address(agent)).pinnedCommitment();
    }
}
