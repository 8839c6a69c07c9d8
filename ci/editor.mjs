// Asks yaml-language-server what an editor would ask of a spec. usage: node ci/editor.mjs FOLDER-WITH-NODE_MODULES
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const folder = path.resolve(process.argv[2]);
const { createMessageConnection } = createRequire(path.join(folder, 'index.js'))('vscode-jsonrpc/node');
const server = spawn(process.execPath, [path.join(folder, 'node_modules/.bin/yaml-language-server'), '--stdio']);
server.stderr.pipe(process.stderr);
const connection = createMessageConnection(server.stdout, server.stdin);
const schema = path.relative(folder, path.resolve('schemas/spec.schema.json'));

const marks = new Map(); // what is wrong with each document, by its address
connection.onNotification('textDocument/publishDiagnostics', ({ uri, diagnostics }) => marks.set(uri, diagnostics));
connection.onRequest('workspace/configuration', ({ items }) =>
  items.map(({ section }) => (section === 'yaml' ? { completion: true, hover: true, validate: true } : {})),
);
connection.onRequest('client/registerCapability', () => null);
connection.listen();

// Opens a text in which `|` is the cursor, and gives the place of the cursor.
let opened = 0;
function open(marked) {
  const text = `# yaml-language-server: $schema=${schema}\n${marked}`;
  const before = text.slice(0, text.indexOf('|'));
  const uri = pathToFileURL(path.join(folder, `spec-${(opened += 1)}.yaml`)).href;
  const textDocument = { uri, languageId: 'yaml', version: 1, text: text.replace('|', '') };
  connection.sendNotification('textDocument/didOpen', { textDocument });
  const lines = before.split('\n');
  return { textDocument: { uri }, position: { line: lines.length - 1, character: lines.at(-1).length } };
}

async function offered(marked) {
  const answer = await connection.sendRequest('textDocument/completion', open(marked));
  return (answer.items ?? answer).map((item) => item.label);
}

async function explained(marked) {
  const answer = await connection.sendRequest('textDocument/hover', open(marked));
  return [answer?.contents?.value ?? answer?.contents ?? ''].flat().join('\n');
}

// The messages about a text, once the server has looked at it.
async function wrong(text) {
  const { textDocument } = open(`${text}|`);
  for (let tries = 0; tries < 100 && !marks.has(textDocument.uri); tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert(marks.has(textDocument.uri), 'the server never said what it finds');
  return marks.get(textDocument.uri).map((mark) => `${mark.range.start.line}: ${mark.message}`);
}

const head = 'linkspec: 1\nsuite: s\ntests:\n  - name: a\n';
const collective = `${head}    collective:\n      op: all_reduce\n      sizes: [8G]\n      expect:\n`;

async function check() {
  await connection.sendRequest('initialize', {
    processId: process.pid,
    rootUri: null,
    capabilities: { textDocument: { completion: {}, hover: { contentFormat: ['markdown'] } } },
  });
  connection.sendNotification('initialized', {});

  const offers = async (place, marked, expected) => {
    const labels = await offered(marked);
    console.log(`completion ${place}: ${labels.join(', ')}`);
    const missing = expected.filter((label) => !labels.includes(label));
    assert.deepEqual(missing, [], `completion ${place} does not offer these`);
  };
  await offers('at expect of a collective', `${collective}        |`, ['busbw', 'latency', 'wrong', 'transport', 'max_drop']);
  await offers('of an operation', `${head}    collective:\n      op: |`, ['all_reduce', 'sendrecv']);
  await offers('of a test', `${head}    |`, ['gpu', 'topology', 'collective', 'level', 'matrix']);
  await offers('of a file', '|', ['linkspec', 'suite', 'tests']);
  await offers('of a gpu test', `${head}    gpu:\n      |`, ['count', 'nvlinks_active', 'ecc_errors']);

  for (const [key, marked, meaning] of [
    ['busbw', `${collective}        bus|bw: { 8G: 440 GB/s }\n`, 'bus bandwidth per size'],
    ['nvlinks_active', `${head}    gpu: { nvlinks_|active: 18 }\n`, 'NVLinks that are up'],
    ['level', `${head}    lev|el: quick\n    gpu: { count: 8 }\n`, 'how much it costs'],
  ]) {
    const text = await explained(marked);
    console.log(`hover at ${key}: ${text.split('\n').find((line) => line.includes(meaning))}`);
    assert(text.includes(meaning), `hover at ${key} says: ${text}`);
  }

  assert.deepEqual(await wrong(`${head}    gpu: { count: 8 }\n`), []);
  for (const [what, text] of [
    ['a misspelt key', `${head}    gpu: { cuont: 8 }\n`],
    ['a test that checks nothing', `${head}    gpu: {}\n`],
    ['a number without its unit', `${head}    rdma_ports: { rate: 400 }\n`],
  ]) {
    const messages = await wrong(text);
    console.log(`marked for ${what}: ${messages.join('; ')}`);
    assert(messages.length > 0, `${what} is not marked`);
  }
}

const late = setTimeout(() => {
  console.error('yaml-language-server did not answer within 60 s');
  process.exit(1);
}, 60_000);
try {
  await check();
  console.log('ci/editor: all as it should be');
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  clearTimeout(late);
  connection.dispose();
  server.kill();
}
