import { defaultPoliciesOf, type ReadGateway, routesOf } from '../../../gateway/configuration/read-gateway.js';
import type { Located } from '../../schema/schema.js';
import type { AdviceReport } from './advice-report.js';

const id = 'cors-of-untrusted-origins';

/** A wildcard directly below a top-level domain in which anyone can register names. */
const wholeDomain = /^https?:\/\/\*\.([^.:]+)(?::\d+)?$/;

/** Top-level names that are local to a machine or network (RFC 6761, RFC 6762, ICANN resolution 2024.07.29.06). */
const localDomains: ReadonlySet<string> = new Set(['localhost', 'test', 'local', 'internal', 'lan', 'corp', 'home']);

/** Origins whose pages the network cannot change: the browser runs on the same machine. */
const loopbackPage = /^http:\/\/(?:(?:[^/]*\.)?localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?$/;

const reasonAgainst = (origin: string, allowsCredentials: boolean): string | null => {
  const domain = wholeDomain.exec(origin)?.[1];
  if (domain !== undefined && !localDomains.has(domain)) return `includes every site under .${domain}`;
  return allowsCredentials && origin.startsWith('http://') && !loopbackPage.test(origin)
    ? 'lets anyone on the path to such a page read responses with the cookies of its visitors'
    : null;
};

/** Origins of `cors` that others control. An origin in `defaults` is reported once. */
export const warnAboutCors = (gateway: ReadGateway, report: AdviceReport): void => {
  const seen = new Set<string>();
  const warn = ({ value, position, hidden }: Located<string>, allowsCredentials: boolean): void => {
    const reason = hidden === true ? null : reasonAgainst(value, allowsCredentials);
    const place = position === null ? value : `${position.file}:${position.line}:${position.column}`;
    if (reason === null || seen.has(place)) return;
    seen.add(place);
    report.add(id, `the origin "${value.slice(0, 80)}" ${reason}`, position);
  };
  for (const policies of [
    defaultPoliciesOf(gateway),
    ...routesOf(gateway).map(({ fields }) => fields.policies.value),
  ]) {
    const { value: cors } = policies.cors;
    if (cors === null) continue;
    for (const origin of cors['allow-origins'].value) warn(origin, cors['allow-credentials'].value);
  }
};
