import type { AgentOptionName, OptionPlace } from '../../configuration/agent-option-problem.js';
import { type HeaderOption, unfitHeader } from '../../configuration/schema/unfit-header.js';
import { canonicalName } from '../../http/canonical-name.js';
import { isToken } from '../../http/field-syntax.js';
import type { OptionReport } from './option-report.js';

/** What the headers of an agent are called. */
export interface HeaderNames {
  readonly userId: string;
  readonly authMethod: string;
  /** Null: no API key is read. */
  readonly apiKey: string | null;
  /** Null: no client certificate is read. */
  readonly clientCert: string | null;
  /** Those that receive attributes of single sign-on. */
  readonly mapped: readonly string[];
}

interface NamedHeader {
  readonly key: HeaderOption;
  readonly option: AgentOptionName;
  readonly name: string;
  readonly place?: OptionPlace;
}

/** Headers that client certificates take beside the one that is configured: what they tell, and what completes them. */
const takenByCertificates = (clientCert: string): string[] => [
  'x-client-cert-cn',
  'x-client-cert-dn',
  ...(canonicalName(clientCert) === 'client-cert' ? ['client-cert-chain'] : []),
];

/** Every header has to be one, fit for what it is used as, and be used for that alone. */
export const checkHeaders = (names: HeaderNames, error: OptionReport): void => {
  const { userId, authMethod, apiKey, clientCert, mapped } = names;
  const headers: NamedHeader[] = [
    { key: 'user-id-header', option: 'user-id-header', name: userId },
    { key: 'auth-method-header', option: 'auth-method-header', name: authMethod },
  ];
  if (apiKey !== null) headers.push({ key: 'api-key-header', option: 'api-key-header', name: apiKey });
  const taken = new Map<string, string>();
  if (clientCert !== null) {
    headers.push({ key: 'client-cert-header', option: 'mtls', name: clientCert, place: { key: 'client-cert-header' } });
    for (const name of takenByCertificates(clientCert)) taken.set(name, 'mtls');
  }
  for (const name of mapped) {
    headers.push({ key: 'attribute-mapping', option: 'saml', name, place: { key: 'attribute-mapping' } });
  }
  for (const { key, option, name, place } of headers) {
    const canonical = canonicalName(name);
    const other = taken.get(canonical);
    const unfit = isToken(name) ? unfitHeader(key, name) : null;
    if (!isToken(name)) error(option, `"${name}" is no header name`, undefined, place);
    else if (unfit !== null) error(option, `the header ${name} ${unfit}`, undefined, place);
    else if (other !== undefined) error(option, `${other} names the header ${name} already`, undefined, place);
    taken.set(canonical, key);
  }
};
