import type { Identity } from '../../../src/domain/agent/identity/identity.js';
import type { AuthenticationMethod } from '../../../src/domain/agent/identity/request-credentials.js';
import type { RequestAttributes } from '../../../src/domain/agent/policy/gateway-model/gateway-request.js';
import type { Claims } from '../../../src/domain/agent/tokens/claims.js';
import { parseClaims } from '../../../src/domain/agent/tokens/parse-claims.js';
import { type DocumentationPage, type FencedBlock, fencedBlocks } from '../shared/documentation-examples.js';

/** The cells of a row, without the code marks around them. `\|` is a bar inside a cell. */
const cellsOf = (line: string): readonly string[] =>
  line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));

/** `x` for a cell that is the code `x`, otherwise the cell. */
export const plain = (cell: string): string => /^`([^`]*)`$/.exec(cell)?.[1] ?? cell;

/** A row of a table, by the heads of its columns. */
export interface DocumentedRow {
  readonly page: string;
  /** From 1. */
  readonly line: number;
  readonly cells: ReadonlyMap<string, string>;
  /** The `cedar` blocks above it in its section. */
  readonly policies: readonly FencedBlock[];
}

/**
 * Whether a `cedar` block shows what is wrong: its first line then says a word of the message, as in `// wrong:
 * Role`.
 */
export const mistakeOf = ({ text }: FencedBlock): string | null => /^\/\/ wrong: (.+)\n/.exec(text)?.[1] ?? null;

/** All rows of the tables of a page that have these columns, among others. */
export const rowsWith = (page: DocumentationPage, columns: readonly string[]): readonly DocumentedRow[] => {
  const lines = page.text.split('\n');
  const blocks = fencedBlocks(page).filter(({ info }) => info === 'cedar');
  const rows: DocumentedRow[] = [];
  let section = 0;
  let heads: readonly string[] | null = null;
  let isInside = false;
  for (const [index, line] of lines.entries()) {
    if (/^ *```/.test(line)) isInside = !isInside;
    if (isInside) continue;
    if (/^##+ /.test(line)) section = index + 1;
    if (!line.startsWith('|')) {
      heads = null;
    } else if (heads === null) {
      heads = cellsOf(line);
    } else if (!/^\|[-|]+\|$/.test(line) && columns.every((column) => heads?.includes(column))) {
      const cells = cellsOf(line);
      rows.push({
        page: page.name,
        line: index + 1,
        cells: new Map(heads.map((head, column) => [head, cells[column] ?? ''])),
        policies: blocks.filter((block) => block.line > section && block.line <= index && mistakeOf(block) === null),
      });
    }
  }
  return rows;
};

const jsonOf = (text: string): Claims => {
  const object = text === '' ? {} : parseClaims(text);
  if (object === null) throw new Error(`no JSON object: ${text}`);
  return object;
};

/** Who a row speaks of: `nobody`, or `ann (reader, editor) by jwt`; with a token where the method is not given. */
export const documentedIdentity = (who: string, claims: string): Identity | null => {
  if (who === 'nobody') return null;
  const [, userId, roles, method] = /^([\w.-]+)(?: \(([\w, ]+)\))?(?: by (\w+))?$/.exec(who) ?? [];
  if (userId === undefined) throw new Error(`who is ${who}?`);
  const isToken = method === undefined || method === 'jwt';
  return {
    method: (method ?? 'jwt') as AuthenticationMethod,
    userId,
    claims: isToken
      ? { sub: userId, ...(roles === undefined ? {} : { roles: roles.split(', ') }), ...jsonOf(claims) }
      : null,
    certificate: null,
  };
};

/** The request that a row speaks of: `GET /reports/7`. */
export const documentedFacts = (request: string, clientIp: string): RequestAttributes => {
  const [method = '', uri = ''] = request.split(' ');
  if (!uri.startsWith('/')) throw new Error(`no request: ${request}`);
  return { method, uri, host: 'api.example', clientIp: clientIp === '' ? '192.0.2.1' : clientIp, correlationId: 'a-1' };
};
