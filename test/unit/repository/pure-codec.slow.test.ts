import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const folder = join(root, 'src/adapters/wire/http1');

/** What tsc has to say of files where there is nothing but the language: no Node, no browser. */
const faultsIn = (files: readonly string[]): readonly string[] => {
  const project = join(root, 'src/tsconfig.json');
  const { config } = ts.readConfigFile(project, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, dirname(project));
  const { composite, incremental, tsBuildInfoFile, outDir, rootDir, ...kept } = options;
  const program = ts.createProgram([...files], {
    ...kept,
    noEmit: true,
    declaration: false,
    types: [],
    lib: ['lib.es2023.d.ts'],
  });
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
};

it('the codec of HTTP/1.1 knows nothing of Node', () => {
  const files = readdirSync(folder).map((name) => join(folder, name));
  expect(files.length).toBeGreaterThan(5);
  expect(faultsIn(files)).toEqual([]);
});

it('a Buffer in it would be told', () => {
  const [file = ''] = readdirSync(folder).map((name) => join(folder, name));
  const host = ts.sys.readFile;
  ts.sys.readFile = (path, encoding) =>
    path === file ? `${readFileSync(file, 'utf8')}\nexport const known = Buffer.alloc(1);\n` : host(path, encoding);
  try {
    expect(faultsIn([file])).toEqual([expect.stringContaining("Cannot find name 'Buffer'")]);
  } finally {
    ts.sys.readFile = host;
  }
});
