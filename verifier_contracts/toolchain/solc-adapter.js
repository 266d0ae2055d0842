// npm's solc behind the command line of the native compiler, as far as py-solc-x and forge use it:
// `--version`, and standard JSON from stdin to stdout. solcjs's own command reads pipes wrongly.
//
// Loading the compiler takes half a second and both callers ask for the version before each job, so
// the answer is kept in a file beside this one.
'use strict';
const fs = require('fs');
const path = require('path');

const versionFile = path.join(__dirname, 'solc-version');

function version() {
  try {
    return fs.readFileSync(versionFile, 'utf8').trim();
  } catch {
    return require('solc').version();
  }
}

function compile(input) {
  process.stdout.write(require('solc').compile(input));
}

const args = process.argv.slice(2);
if (args.includes('--version')) {
  console.log('solc, the solidity compiler commandline interface\nVersion: ' + version());
} else if (args.includes('--standard-json')) {
  const chunks = [];
  process.stdin.on('data', (chunk) => chunks.push(chunk));
  process.stdin.on('end', () => compile(Buffer.concat(chunks).toString('utf8')));
} else {
  console.error('solc-adapter: only --version and --standard-json are supported');
  process.exitCode = 1;
}
