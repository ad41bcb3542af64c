import { allHeaders, type HeaderList } from '../../http/header-list.js';
import type { TraceContext } from '../../http/trace-context.js';
import { parseTraceparent } from '../../http/traceparent.js';
import { acceptTracestate } from './tracestate.js';

/** What a caller says of its trace. */
export interface CallersTrace {
  readonly parent: TraceContext;
  /** What other tracing systems want passed on. */
  readonly state: string | null;
}

const parentName = 'traceparent';
const stateName = 'tracestate';

/** Null where the caller says nothing, or nothing well-formed; several fields are none (W3C Trace Context, section 3.2). */
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

/** The headers with these fields, in place of any that they had. */
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
