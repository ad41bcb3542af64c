import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the repository. */
export const repositoryRoot = fileURLToPath(new URL('../../../', import.meta.url));

/** A page of the documentation. */
export interface DocumentationPage {
  /** Relative to the repository, as in `docs/guides/routing.md`. */
  readonly name: string;
  readonly text: string;
}

/** A fenced block of a page. */
export interface FencedBlock {
  readonly page: string;
  /** Line of the opening fence, from 1. */
  readonly line: number;
  /** What stands behind the opening fence. */
  readonly info: string;
  readonly text: string;
}

const pageNamesBelow = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return pageNamesBelow(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });

/** Every Markdown page at the top of the repository and below docs. */
export const documentationPages = (): readonly DocumentationPage[] => {
  const top = readdirSync(repositoryRoot).filter((name) => name.endsWith('.md'));
  return [...top.map((name) => join(repositoryRoot, name)), ...pageNamesBelow(join(repositoryRoot, 'docs'))].map(
    (path) => ({ name: relative(repositoryRoot, path), text: readFileSync(path, 'utf8') }),
  );
};

export const documentationPage = (name: string): DocumentationPage => ({
  name,
  text: readFileSync(join(repositoryRoot, name), 'utf8'),
});

const fence = /^( *)(`{3,})(.*)$/;

/** The fenced blocks of a page. A fence that is never closed reaches to the end of the page. */
export const fencedBlocks = ({ name, text }: DocumentationPage): readonly FencedBlock[] => {
  const blocks: FencedBlock[] = [];
  let open: { readonly line: number; readonly marks: string; readonly info: string; readonly lines: string[] } | null =
    null;
  for (const [index, line] of text.split('\n').entries()) {
    const [, , marks = '', rest = ''] = fence.exec(line) ?? [];
    if (open === null) {
      if (marks !== '') open = { line: index + 1, marks, info: rest.trim(), lines: [] };
    } else if (marks.startsWith(open.marks) && rest.trim() === '') {
      blocks.push({ page: name, line: open.line, info: open.info, text: `${open.lines.join('\n')}\n` });
      open = null;
    } else {
      open.lines.push(line);
    }
  }
  if (open !== null) blocks.push({ page: name, line: open.line, info: open.info, text: open.lines.join('\n') });
  return blocks;
};

/** The text of a page without its fenced blocks and code spans: what holds its links and headings. */
export const proseOf = ({ text }: DocumentationPage): string => {
  let isInside = false;
  const lines = text.split('\n').map((line) => {
    const isFence = fence.test(line);
    const isKept = !isInside && !isFence;
    if (isFence) isInside = !isInside;
    return isKept ? line : '';
  });
  return lines.join('\n');
};

/** Names of the blocks and keys at the outermost level of a configuration. */
const outermostNames = (text: string): readonly string[] => {
  const names: string[] = [];
  let depth = 0;
  for (const line of text.split('\n')) {
    const code = line.replace(/"(?:[^"\\]|\\.)*"/g, '""').replace(/\/\/.*$/, '');
    const name = /^\s*([a-z][a-z-]*)/.exec(code)?.[1];
    if (depth === 0 && name !== undefined) names.push(name);
    depth += code.split('{').length - code.split('}').length;
  }
  return names;
};

const groupOf: Readonly<Record<string, string>> = {
  listener: 'listeners',
  route: 'routes',
  upstream: 'upstreams',
  agent: 'agents',
};
const groups: readonly string[] = [
  'system',
  'defaults',
  'rate-limit',
  'limits',
  'admin',
  'tracing',
  'audit',
  'include',
  ...Object.values(groupOf),
];

/** What a `kdl` block of the documentation stands for. */
export interface DocumentedConfiguration {
  readonly text: string;
  /** It was shown whole. A part may refer to upstreams and agents that the page does not show. */
  readonly isWhole: boolean;
}

/**
 * The configuration that an example stands for. One with `listeners` is whole, and taken as it is. Any other is a part,
 * completed by what surrounds it: `config` by an agent, `listener`, `route`, `upstream` and `agent` by the group of the
 * name, and all of them by a listener. Null where the outermost names fit none of that.
 */
export const configurationOf = (example: string): DocumentedConfiguration | null => {
  const names = outermostNames(example);
  const [first] = names;
  if (first === undefined) return null;
  if (names.includes('listeners')) return { text: example, isWhole: true };
  const listener = 'listeners { listener "example" { address "127.0.0.1:0" } }\n';
  if (names.every((name) => name === 'config')) {
    return {
      text: `${listener}agents {\nagent "example" {\ntransport "embedded"; events "request_headers" "request_body_chunk"\n${example}}\n}\n`,
      isWhole: false,
    };
  }
  if (names.every((name) => groups.includes(name))) return { text: listener + example, isWhole: false };
  const group = groupOf[first];
  if (group === undefined || names.some((name) => name !== first)) return null;
  const wrapped = `${group} {\n${example}}\n`;
  return { text: group === 'listeners' ? wrapped : listener + wrapped, isWhole: false };
};

/** What a variable of that name may hold: lists of keys and users an entry, a redis its URL. */
const exampleValue = (name: string): string => {
  if (name.includes('REDIS')) return 'rediss://example:example@redis.example';
  return `${/KEYS|USERS/.test(name) ? 'example:' : ''}example-text-of-more-than-32-octets`;
};

/** A value for every variable that a text names in `(env)"NAME"`. */
export const exampleEnvironment = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(/\(env\)"(\w+)"/g)].map(([, name = '']) => [name, exampleValue(name)]));

/** The first configuration that a page shows whole: the one that its guide explains. */
export const mainExample = (pageName: string): string => {
  for (const { info, text } of fencedBlocks(documentationPage(pageName))) {
    if (info === 'kdl' && configurationOf(text)?.isWhole) return text;
  }
  throw new Error(`${pageName} shows no whole configuration`);
};

/** The rows of the first table of a page whose header cells are these, without the code marks around their cells. */
export const tableOf = (pageName: string, header: readonly string[]): readonly (readonly string[])[] => {
  const cells = (line: string): string[] =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replace(/^`(.*)`$/, '$1'));
  const lines = documentationPage(pageName).text.split('\n');
  const start = lines.findIndex((line) => cells(line).join('|') === header.join('|'));
  if (start < 0) throw new Error(`${pageName} has no table with the columns ${header.join(', ')}`);
  const rows = lines.slice(start + 2);
  const end = rows.findIndex((line) => !line.startsWith('|'));
  return rows.slice(0, end < 0 ? rows.length : end).map(cells);
};
