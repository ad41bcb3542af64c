import { trimSpace } from '../../http/field-syntax.js';
import { allHeaders, type HeaderList } from '../../http/header-list.js';
import { parseTraceparent, type TraceContext } from '../../http/trace-context.js';

/** Largest forwarded length in characters (W3C Trace Context, section 3.3.1.5). */
const maxLength = 512;
const maxMembers = 32;
const maxPartLength = 256;

const isLowerOrDigit = (code: number): boolean => (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39);

/** `_`, `-`, `*`, `/` and `@` may follow the first character. */
const keyMarks = new Set([0x5f, 0x2d, 0x2a, 0x2f, 0x40]);

const isKey = (key: string): boolean => {
  if (key.length === 0 || key.length > maxPartLength || !isLowerOrDigit(key.charCodeAt(0))) return false;
  for (let index = 1; index < key.length; index += 1) {
    const code = key.charCodeAt(index);
    if (!isLowerOrDigit(code) && !keyMarks.has(code)) return false;
  }
  return true;
};

/** Printable ASCII except `,` and `=`. The caller has trimmed the value. */
const isValue = (value: string): boolean => {
  if (value.length === 0 || value.length > maxPartLength) return false;
  for (let index = 0; index < value.length; index += 1) {
    const code = value.charCodeAt(index);
    if (code < 0x20 || code > 0x7e || code === 0x2c || code === 0x3d) return false;
  }
  return true;
};

/** The `tracestate` fields of a request as one field. Null: malformed, or longer than 512 characters or 32 members. */
export const acceptTracestate = (lines: readonly string[]): string | null => {
  let length = 0;
  for (const line of lines) length += line.length + 1;
  if (length > maxLength + 1) return null;
  const members: string[] = [];
  const keys = new Set<string>();
  for (const each of lines.join(',').split(',')) {
    const member = trimSpace(each);
    if (member === '') continue;
    const equals = member.indexOf('=');
    const key = member.slice(0, Math.max(equals, 0));
    if (!isKey(key) || !isValue(member.slice(equals + 1)) || keys.has(key)) return null;
    keys.add(key);
    members.push(member);
  }
  return members.length === 0 || members.length > maxMembers ? null : members.join(',');
};

/** The trace context of a caller. */
export interface CallersTrace {
  readonly parent: TraceContext;
  /** The `tracestate` of other tracing systems. */
  readonly state: string | null;
}

const parentName = 'traceparent';
const stateName = 'tracestate';

/** Null: no well-formed `traceparent`. Several fields count as none (W3C Trace Context, section 3.2). */
export const readTraceFields = (headers: HeaderList): CallersTrace | null => {
  const [first, second] = allHeaders(headers, parentName);
  if (first === undefined || second !== undefined) return null;
  const parent = parseTraceparent(first);
  return parent === null ? null : { parent, state: acceptTracestate(allHeaders(headers, stateName)) };
};

const isTraceField = (name: string): boolean => {
  if (name.length === parentName.length) return name.toLowerCase() === parentName;
  return name.length === stateName.length && name.toLowerCase() === stateName;
};

/** The headers with these trace fields, which replace existing ones. */
export const withTraceFields = (headers: HeaderList, traceparent: string, state: string | null): HeaderList => {
  const fields: string[] = [];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] as string;
    if (!isTraceField(name)) fields.push(name, headers[index + 1] as string);
  }
  fields.push(parentName, traceparent);
  if (state !== null) fields.push(stateName, state);
  return fields;
};
