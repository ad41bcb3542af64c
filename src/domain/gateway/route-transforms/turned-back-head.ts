import type { HeaderList } from '../../http/header-list.js';
import { turnedBackCookie } from './turned-back-cookie.js';
import { type TurnBackRules, type TurnedBackRequest, turnedBackReference } from './turned-back-reference.js';

/** A Refresh field: seconds, `url=`, and the URL, perhaps in quotes (HTML, section 4.2.5.3). */
const refreshForm = /^([\s\d.]*[;,]\s*(?:url\s*=\s*)?["']?)([^"']*)([\s\S]*)$/i;

const turnedBackRefresh = (value: string, rules: TurnBackRules, request: TurnedBackRequest): string => {
  const parts = refreshForm.exec(value);
  if (parts === null) return value;
  const [, before = '', url = '', after = ''] = parts;
  return before + turnedBackReference(url, rules, request) + after;
};

type ValueTurnBack = (value: string, rules: TurnBackRules, request: TurnedBackRequest) => string;

const turnedFields: ReadonlyMap<string, ValueTurnBack> = new Map([
  ['location', turnedBackReference],
  ['content-location', turnedBackReference],
  ['refresh', turnedBackRefresh],
  ['set-cookie', turnedBackCookie],
]);

/** Excludes most names without a copy in lower case. */
const lengths: ReadonlySet<number> = new Set([...turnedFields.keys()].map((name) => name.length));

/** The head of an upstream's response for the client. Returns the same list if no field changes. */
export const turnedBackHead = (headers: HeaderList, rules: TurnBackRules, request: TurnedBackRequest): HeaderList => {
  let fields: string[] | null = null;
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] as string;
    if (!lengths.has(name.length)) continue;
    const turn = turnedFields.get(name.toLowerCase());
    if (turn === undefined) continue;
    const value = headers[index + 1] as string;
    const turned = turn(value, rules, request);
    if (turned === value) continue;
    fields ??= headers.slice();
    fields[index + 1] = turned;
  }
  return fields ?? headers;
};
