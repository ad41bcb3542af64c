import { type ReadGateway, upstreamsOf } from '../../../gateway/configuration/read-gateway.js';
import { targetsOf } from '../../../gateway/configuration/upstream-schema.js';
import { isUnixSocket } from '../../network-addresses.js';
import type { AdviceReport } from './advice-report.js';

const id = 'port-of-another-protocol';

/** Targets whose port belongs to plain HTTP or to HTTPS (RFC 9110, section 4.2), while the upstream speaks the other. */
export const warnAboutUpstreams = (gateway: ReadGateway, report: AdviceReport): void => {
  for (const upstream of upstreamsOf(gateway)) {
    const hasTls = upstream.fields.tls.value?.enabled.value === true;
    for (const { value, position, hidden } of targetsOf(upstream)) {
      if (hidden === true || isUnixSocket(value.address) || value.address.port !== (hasTls ? 80 : 443)) continue;
      const { port } = value.address;
      const name = `upstream "${upstream.name.value}"`;
      if (hasTls) report.suggest(id, `${name} speaks TLS to port ${port}`, position, 'write port 443, or delete tls');
      else report.suggest(id, `${name} speaks plain HTTP to port ${port}`, position, 'add a block tls to the upstream');
    }
  }
};
