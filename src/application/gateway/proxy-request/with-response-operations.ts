import { applyHeaderOperations, maxHeaderOperations } from '../../../domain/agent-protocol/header-operations.js';
import type { HeaderOperation } from '../../../domain/agent-protocol/messages.js';
import type { HeaderList } from '../../../domain/http/header-list.js';

/**
 * The head of a response with what the agents want done to it. Together the operations of several answers may be more than
 * one answer may hold: none of them is left out for that.
 */
export const withResponseOperations = (headers: HeaderList, operations: readonly HeaderOperation[]): HeaderList => {
  let fields = headers;
  for (let from = 0; from < operations.length; from += maxHeaderOperations) {
    const applied = applyHeaderOperations(fields, operations.slice(from, from + maxHeaderOperations));
    // INVARIANT: each operation was found valid with the answer that it came in.
    if (applied.ok) fields = applied.value;
  }
  return fields;
};
