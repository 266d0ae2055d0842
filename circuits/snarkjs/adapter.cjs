// snarkjs for process.py: a request a line on standard input, an answer a line on standard output.
//
// Everything that snarkjs prints goes to standard error. What a call returns is told as it is; what
// it logs as an error goes with it, for people. Ends with its input, and so with whoever started it.
"use strict";

const fs = require("fs");
const readline = require("readline");
const v8 = require("v8");

// WebAssembly is compiled whole before it runs: snarkjs runs the same code in several threads, and
// a process once ended with SIGILL in code made at run time. That V8 was replacing it is a guess.
for (const flag of ["--no-liftoff", "--no-wasm-lazy-compilation", "--no-wasm-dynamic-tiering"]) {
    v8.setFlagsFromString(flag);
}

const snarkjs = require(process.argv[2]);

for (const name of ["log", "info", "debug", "warn"]) {
    console[name] = (...words) => console.error(...words);
}

// Its file layer waits for ever once a write has failed, as on a full disk, and does not ask how
// many bytes were written.
const open = fs.promises.open;
fs.promises.open = async (...place) => {
    const file = await open(...place);
    const write = file.write.bind(file);
    file.write = (bytes, from, size, at) => writeAll(write, bytes, from, size, at).catch(fail);
    return file;
};

async function writeAll(write, bytes, from, size, at) {
    for (let done = 0; done < size; ) {
        done += (await write(bytes, from + done, size - done, at + done)).bytesWritten;
    }
    return { bytesWritten: size, buffer: bytes };
}

function fail(error) {
    tell({ error: String((error && error.message) || error) });
    process.exit(1);
}

/** A hash in hex; false for what tells of a failure. */
function hex(hash) {
    return hash instanceof Uint8Array && Buffer.from(hash).toString("hex");
}

const CALLS = {
    prove: async ({ zkey, wtns }, logger) => {
        const { proof } = await snarkjs.groth16.prove(zkey, wtns, logger);
        return [proof.pi_a.slice(0, 2), proof.pi_b.slice(0, 2), proof.pi_c.slice(0, 2)];
    },
    initial: async ({ r1cs, ptau, zkey }, logger) =>
        hex(await snarkjs.zKey.newZKey(r1cs, ptau, zkey, logger)),
    contribute: async ({ old, fresh, name, entropy }, logger) =>
        hex(await snarkjs.zKey.contribute(old, fresh, name, entropy, logger)),
    beacon: async ({ old, fresh, name, beacon, iterations }, logger) =>
        hex(await snarkjs.zKey.beacon(old, fresh, name, beacon, iterations, logger)),
    verify: async ({ initial, ptau, zkey }, logger) =>
        (await snarkjs.zKey.verifyFromInit(initial, ptau, zkey, logger)) === true,
};

function tell(message) {
    fs.writeSync(1, JSON.stringify(message) + "\n");
}

async function answer(request) {
    const said = [];
    const quiet = () => {};
    const logger = { info: quiet, debug: quiet, warn: quiet, error: (words) => said.push(words) };
    try {
        const result = await CALLS[request.call](request.arguments, logger);
        tell({ result, said: said.map(String).join("; ") });
    } catch (error) {
        tell({ error: String((error && error.message) || error) });
    }
}

async function main() {
    for await (const line of readline.createInterface({ input: process.stdin })) {
        await answer(JSON.parse(line));
    }
    process.exit(0);
}

main();
