import { isUnixSocket } from '../../configuration/network-addresses.js';
import { grpcAddressText, isLocalGrpcAddress, streamAddressText } from '../../configuration/schema/grpc-address.js';
import type { ProblemReport } from '../../configuration/schema/problem-report.js';
import { isWritten } from '../../configuration/schema/schema.js';
import type { GrpcFields } from './grpc-transport-schema.js';
import type { ReadAgent } from './read-gateway.js';

type TlsFields = NonNullable<GrpcFields['tls']['value']>;

const placeOf = ({ name }: ReadAgent): readonly string[] => ['agents', `agent "${name.value}"`];

const requireOneWay = (agent: ReadAgent, report: ProblemReport): void => {
  const { transport, socket } = agent.fields;
  const path = placeOf(agent);
  if (transport.given && socket.given) {
    report.add('"socket" and "transport" cannot both be given', { position: socket.position, path });
  } else if (!transport.given && !socket.given) {
    report.add(`agent "${agent.name.value}" has no transport`, {
      position: agent.name.position,
      path,
      suggestion: 'write transport "embedded", or socket "/run/agent.sock"',
    });
  }
};

const hasAdminSocket = ({ fields: { admin } }: ReadAgent): boolean =>
  admin.value?.address.sound === true && isUnixSocket(admin.value.address.value);

/** Reports keys that have no effect on the transport of the agent. */
const refuseIdleKeys = (agent: ReadAgent, report: ProblemReport): void => {
  const { transport, 'socket-owner': owner, connections, 'protocol-version': version, admin } = agent.fields;
  const written = transport.value;
  if (written === null || written.kind === 'unix_socket') return;
  const path = placeOf(agent);
  if (written.kind === 'embedded') {
    for (const [key, field] of [
      ['socket-owner', owner],
      ['connections', connections],
    ] as const) {
      if (isWritten(field)) {
        report.add(`"${key}" has no effect on an embedded agent`, { position: field.position, path });
      }
    }
    if (admin.given) {
      report.add('"admin" has no effect on an embedded agent: /admin/sessions of the gateway has its sessions anyway', {
        position: admin.position,
        path,
        suggestion: 'delete the block',
      });
    }
  } else if (isWritten(owner) && written.fields.address.value.kind === 'tcp' && !hasAdminSocket(agent)) {
    report.add('"socket-owner" has no effect on an agent over TCP', {
      position: owner.position,
      path,
    });
  }
  if (version.sound && version.value === 1) {
    report.add('"protocol-version" 1 needs a unix socket', {
      position: version.position,
      path,
      suggestion: 'write socket "/run/agent.sock", or delete protocol-version',
    });
  }
};

const requireWholeCertificate = (
  { 'cert-file': cert, 'key-file': key }: TlsFields,
  path: readonly string[],
  report: ProblemReport,
): void => {
  const [hasCert, hasKey] = [isWritten(cert), isWritten(key)];
  if (hasCert === hasKey) return;
  const [given, missing, field] = hasCert ? ['cert-file', 'key-file', cert] : ['key-file', 'cert-file', key];
  report.add(`"${given}" needs a "${missing}"`, {
    position: field.position,
    path,
    suggestion: `write ${missing} "/etc/portcullis/${hasCert ? 'key' : 'cert'}.pem"`,
  });
};

const checkGrpc = ({ address, tls, insecure }: GrpcFields, path: readonly string[], report: ProblemReport): void => {
  const isInsecure = insecure.sound && insecure.value;
  if (tls.value !== null) {
    if (isInsecure) report.add('"tls" and "insecure" exclude each other', { position: insecure.position, path });
    if (address.value.kind === 'unix') {
      report.add('"tls" has no effect on a unix socket', { position: tls.position, path });
    }
    requireWholeCertificate(tls.value, [...path, 'tls'], report);
  } else if (!isLocalGrpcAddress(address.value) && insecure.sound && !isInsecure) {
    const named = address.hidden === true ? 'its address' : grpcAddressText(address.value);
    report.add(`gRPC needs tls or insecure #true: ${named} is not a loopback address`, {
      position: address.position,
      path,
      suggestion: 'write tls { ca-cert-file "/etc/portcullis/agents.pem" }',
    });
  }
};

/** The address of the agent protocol; null: none, or not a sound one. */
const protocolAddress = ({ fields: { transport, socket } }: ReadAgent): string | null => {
  const written = transport.value;
  if (written === null) return socket.sound && socket.value !== null ? `unix:${socket.value}` : null;
  if (written.kind === 'unix_socket') return `unix:${written.path}`;
  return written.kind === 'grpc' ? grpcAddressText(written.fields.address.value) : null;
};

/** One address cannot serve both the agent protocol and HTTP. */
const separateAdminAddress = (agent: ReadAgent, report: ProblemReport): void => {
  const address = agent.fields.admin.value?.address;
  if (address?.sound !== true) return;
  if (streamAddressText(address.value) !== protocolAddress(agent)) return;
  report.add('"admin" has the address of the transport', {
    position: address.position,
    path: placeOf(agent),
    suggestion: 'use the admin-address of the agent',
  });
};

/** An agent needs exactly one transport, with keys that fit it. */
export const checkAgentTransport = (agent: ReadAgent, report: ProblemReport): void => {
  requireOneWay(agent, report);
  refuseIdleKeys(agent, report);
  separateAdminAddress(agent, report);
  const written = agent.fields.transport.value;
  if (written?.kind === 'grpc') checkGrpc(written.fields, written.path, report);
};
