import { agentOptionField } from '../../agent/configuration/agent-options-schema.js';
import { secretHeaders } from '../../agent/configuration/secret-headers.js';
import {
  agentsOf,
  listenersOf,
  type ReadAgent,
  type ReadGateway,
  routesOf,
} from '../../gateway/configuration/read-gateway.js';
import { canonicalName } from '../../http/canonical-name.js';
import type { ProblemReport } from '../schema/problem-report.js';
import { members } from '../setting/setting.js';
import { triedOptions } from './tried-options.js';

/** A header in which a listener forwards or accepts certificates. The listener removes it from requests of clients. */
interface CertificateHeader {
  readonly listener: string;
  readonly name: string;
}

const certificateHeadersOf = (gateway: ReadGateway): readonly CertificateHeader[] =>
  listenersOf(gateway).flatMap(({ name, fields }) =>
    [fields.tls.value?.['forward-client-cert-header'], fields['accept-client-cert-header']].flatMap((field) =>
      field?.sound && field.value !== null ? [{ listener: name.value, name: field.value }] : [],
    ),
  );

/** The position of the agent's `client-cert-header`, or of the block `mtls` if the key is absent. */
const placeOfHeader = ({ fields: { config } }: ReadAgent) => {
  const block = config.value?.find(({ name }) => name === 'mtls');
  const key = block && members(block).find(({ name }) => name === 'client-cert-header');
  return { position: (key ?? block)?.position ?? config.position, hidden: key?.args[0]?.hidden ?? false };
};

const checkAgent = (agent: ReadAgent, headers: readonly CertificateHeader[], report: ProblemReport): void => {
  if (!agent.fields.config.sound) return;
  const { fields, options } = triedOptions(agent);
  const { mtls } = options;
  const path = ['agents', `agent "${agent.name.value}"`, 'config'];
  for (const { option, name: header, place } of secretHeaders(options)) {
    const taken = headers.find(({ name }) => canonicalName(name) === canonicalName(header));
    if (taken === undefined) continue;
    const carried = place === undefined ? 'a key' : 'a token';
    report.add(
      `"${place?.key ?? option}" is the certificate header of listener "${taken.listener}", so it can never carry ${carried}`,
      {
        severity: 'warning',
        position: agentOptionField(fields, option, place).position ?? null,
        path,
      },
    );
  }
  if (mtls?.enabled !== true) return;
  const { clientCertHeader } = mtls;
  if (headers.some(({ name }) => name.toLowerCase() === clientCertHeader.toLowerCase())) return;
  const { position, hidden } = placeOfHeader(agent);
  const shown = hidden ? 'its header' : clientCertHeader;
  const names = headers.map(({ name }) => name);
  const suggestion = hidden
    ? 'write forward-client-cert-header in the tls block of a listener'
    : (report.nearMiss(clientCertHeader, names) ??
      `write forward-client-cert-header "${clientCertHeader}" in the tls block of a listener`);
  report.add(`agent "${agent.name.value}" never receives a client certificate: no listener sends them in ${shown}`, {
    severity: 'warning',
    position,
    path,
    suggestion,
  });
};

/** Reports matches on certificate headers. The gateway removes these headers before routing, so they never match. */
const checkMatches = (gateway: ReadGateway, headers: readonly CertificateHeader[], report: ProblemReport): void => {
  const owners = new Map(headers.map(({ name, listener }) => [canonicalName(name), listener]));
  for (const { name, fields } of routesOf(gateway)) {
    const { header } = fields.matches.value;
    for (const match of header.value) {
      const owner = owners.get(canonicalName(match.name));
      if (owner === undefined) continue;
      report.add(
        `route "${name.value}" can never match: it needs the certificate header of listener "${owner}", which the gateway removes`,
        { position: header.position, path: ['routes', `route "${name.value}"`, 'matches', 'header'] },
      );
    }
  }
};

/** Typical upper size in octets of a URL-encoded certificate with an intermediate. */
const roomForCertificate = 8_192;

/** Warns if a listener accepts certificates in a header that is longer than the limits allow. */
const checkRoom = (gateway: ReadGateway, report: ProblemReport): void => {
  const limit = gateway.limits.value['max-header-value-bytes'];
  if (!limit.sound || limit.value >= roomForCertificate) return;
  for (const { name, fields } of listenersOf(gateway)) {
    const accept = fields['accept-client-cert-header'];
    if (!accept.sound || accept.value === null) continue;
    const shown = limit.hidden === true ? 'what was given' : limit.value;
    report.add(
      `listener "${name.value}" accepts certificates in a header, but "max-header-value-bytes" is ${shown}: the gateway refuses requests with longer certificates, which are common`,
      {
        severity: 'warning',
        position: accept.position,
        path: ['listeners', `listener "${name.value}"`],
        suggestion: 'write limits { max-header-value-bytes 16384; max-header-size-bytes 32768 }',
      },
    );
  }
};

/** Checks certificate headers against agents, matches and limits. */
export const checkCertificateHeaders = (gateway: ReadGateway, report: ProblemReport): void => {
  const headers = certificateHeadersOf(gateway);
  for (const agent of agentsOf(gateway)) checkAgent(agent, headers, report);
  checkMatches(gateway, headers, report);
  checkRoom(gateway, report);
};
