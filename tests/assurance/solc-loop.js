// npm's solc, loaded once, for many jobs: standard JSON in lines from stdin to stdout. A compiler that
// is warm takes a fifth of what a fresh one does. The argument is the folder that solc lies in.
'use strict';
const readline = require('readline');
const solc = require(require.resolve('solc', { paths: [process.argv[2]] }));

readline.createInterface({ input: process.stdin }).on('line', (job) => {
  process.stdout.write(JSON.stringify(JSON.parse(solc.compile(job))) + '\n');
});
