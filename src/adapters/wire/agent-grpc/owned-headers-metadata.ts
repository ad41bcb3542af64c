import type { AgentCapabilities } from '../../../domain/agent-protocol/capabilities.js';
import { isToken } from '../../../domain/http/field-syntax.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { areTooManyOwnedHeaders } from '../agent-messages/handshake-messages.js';

/** The agent's initial metadata that names the headers only it may set: names, separated by commas. */
export const ownedHeadersKey = 'portcullis-owned-headers';

/** @param values of every field of that name */
export const readOwnedHeaders = (values: readonly string[]): Result<readonly string[], string> => {
  const names = values
    .flatMap((value) => value.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return areTooManyOwnedHeaders(names) ? err(`"${ownedHeadersKey}" is too long`) : ok(names);
};

/** The value of that metadata. What no header can be called is left out. */
export const ownedHeadersText = ({ ownedHeaders }: AgentCapabilities): string => ownedHeaders.filter(isToken).join(',');
