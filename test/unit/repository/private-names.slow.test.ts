import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** What streams have their authors implement is public. */
const ofStreams: ReadonlySet<string> = new Set(['_read', '_write', '_writev', '_final', '_destroy', '_transform']);

/** Members of others' objects that begin with an underscore: names that their authors call private. */
const privateMembers = (text: string): readonly string[] => {
  const found: string[] = [];
  const note = (name: ts.Node | undefined): void => {
    if (name === undefined || !(ts.isIdentifier(name) || ts.isStringLiteral(name))) return;
    if (/^_[a-z]/.test(name.text) && !ofStreams.has(name.text)) found.push(name.text);
  };
  const look = (node: ts.Node): void => {
    if (ts.isPropertyAccessExpression(node) || ts.isPropertySignature(node)) note(node.name);
    else if (ts.isPropertyAssignment(node) || ts.isMethodDeclaration(node)) note(node.name);
    else if (ts.isBindingElement(node)) note(node.propertyName);
    else if (ts.isElementAccessExpression(node) && ts.isStringLiteral(node.argumentExpression)) {
      note(node.argumentExpression);
    }
    ts.forEachChild(node, look);
  };
  look(ts.createSourceFile('a.ts', text, ts.ScriptTarget.ESNext));
  return [...new Set(found)].sort();
};

it('private names of Node are used where the decision on the engine lists them, and nowhere else', () => {
  const decision = readFileSync(join(root, 'docs/decisions/0024-own-http1-engine.md'), 'utf8');
  const listed = [...decision.matchAll(/^\| `([^`]+)` of [^|]+ \| `([^`]+)`/gm)].map(
    ([, name, file]) => `${file}: ${name}`,
  );
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `src/${file}`);
  const used = files.flatMap((file) =>
    privateMembers(readFileSync(join(root, file), 'utf8')).map((name) => `${file}: ${name}`),
  );
  expect(listed.length).toBeGreaterThan(0);
  expect(used.sort()).toEqual(listed.sort());
});

it.each([
  ['socket._handle', ['_handle']],
  ["socket['_handle']", ['_handle']],
  ['const { _handle: handle } = socket;', ['_handle']],
  ['Object.assign(server, { _sharedCreds: context });', ['_sharedCreds']],
  ['class A extends Duplex { override _write(): void {} }', []],
  ['const f = (_name: string): void => undefined;', []],
])('of %s are %j', (text, names) => {
  expect(privateMembers(text)).toEqual(names);
});
