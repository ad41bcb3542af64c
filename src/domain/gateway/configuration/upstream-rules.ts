import { isUnixSocket } from '../../configuration/network-addresses.js';
import { streamAddressText } from '../../configuration/schema/grpc-address.js';
import type { ProblemReport } from '../../configuration/schema/problem-report.js';
import { hostKey } from '../../configuration/schema/scalar-keys.js';
import { isWritten, keyValueText } from '../../configuration/schema/schema.js';
import { type ReadUpstream, targetsOf } from './upstream-schema.js';
import { checkUpstreamTls, spelledField } from './upstream-tls-schema.js';

const pathOf = ({ name }: ReadUpstream): readonly string[] => ['upstreams', `upstream "${name.value}"`];

const checkTargets = (upstream: ReadUpstream, report: ProblemReport): void => {
  const { name, fields } = upstream;
  const path = pathOf(upstream);
  const targets = targetsOf(upstream);
  const sound = fields.targets.value.target.sound && fields.target.sound;
  if (targets.length === 0 && sound) {
    report.add(`upstream "${name.value}" has no target`, {
      position: name.position,
      path,
      suggestion: 'write target "127.0.0.1:8081"',
    });
  } else if (sound && targets.every(({ value }) => value.weight === 0)) {
    report.add(`upstream "${name.value}" has no target with a weight above 0`, {
      position: targets[0]?.position ?? name.position,
      path,
      suggestion: 'give at least one target weight=1',
    });
  }
  const seen = new Set<string>();
  for (const { value, position, hidden = false } of targets) {
    const { address } = value;
    const key = isUnixSocket(address) ? address.path : `${hostKey(address.host)} ${address.port}`;
    if (seen.has(key)) {
      const shown = keyValueText({ value: streamAddressText(address), hidden });
      const suggestion = 'write it once, with weight=2 for twice the share';
      report.add(`upstream "${name.value}" has the target ${shown} twice`, { position, path, suggestion });
    }
    seen.add(key);
  }
};

const checkPool = (upstream: ReadUpstream, report: ProblemReport): void => {
  const { 'max-connections': all, 'max-idle': idle } = upstream.fields['connection-pool'].value;
  if (!idle.given || !idle.sound || !all.sound || idle.value <= all.value) return;
  report.add(`"max-idle" is above max-connections, which is ${all.hidden === true ? 'less' : all.value}`, {
    position: idle.position,
    path: [...pathOf(upstream), 'connection-pool'],
    suggestion: 'raise max-connections, or lower max-idle',
  });
};

const checkHealthCheck = (upstream: ReadUpstream, report: ProblemReport): void => {
  const fields = upstream.fields['health-check'].value;
  if (fields === null) return;
  const { 'interval-secs': interval, 'timeout-secs': timeout } = fields;
  if (!timeout.sound || timeout.value === null || !interval.sound || timeout.value <= interval.value) return;
  const shown = interval.hidden === true ? '' : `, which is ${interval.value / 1000}`;
  report.add(`"timeout-secs" is above interval-secs${shown}: checks would overlap`, {
    position: timeout.position,
    path: [...pathOf(upstream), 'health-check'],
    suggestion: 'lower timeout-secs, or raise interval-secs',
  });
};

const checkBalancing = (upstream: ReadUpstream, report: ProblemReport): void => {
  const { 'load-balancing': method, 'hash-key': key, 'sticky-cookie': sticky } = upstream.fields;
  if (!method.sound) return;
  const path = pathOf(upstream);
  if (method.value !== 'consistent-hash') {
    if (!key.given) return;
    report.add('"hash-key" has no effect without load-balancing "consistent-hash"', {
      position: key.position,
      path,
      suggestion: 'write load-balancing "consistent-hash"',
    });
    return;
  }
  if (sticky.value === null) return;
  report.add(
    '"sticky-cookie" and load-balancing "consistent-hash" exclude each other: both select the target of a client',
    {
      position: sticky.position,
      path,
      suggestion: 'keep one of them',
    },
  );
};

const checkTransport = (upstream: ReadUpstream, report: ProblemReport): void => {
  const { name, fields } = upstream;
  const { tls, 'http-version': version } = fields;
  const path = pathOf(upstream);
  if (tls.value === null || !tls.value.enabled.value) {
    if (version.value !== 'auto' || !version.sound || !tls.sound) return;
    report.add('http-version "auto" needs TLS, whose handshake selects the version', {
      position: version.position,
      path,
      suggestion: 'add a block tls, or write http-version "1.1" or "2"',
    });
    return;
  }
  checkUpstreamTls({ fields: tls.value, path: [...path, 'tls'] }, name.value, report);
  if (isWritten(spelledField(tls.value, 'sni'))) return;
  for (const { value, position, hidden = false } of targetsOf(upstream)) {
    if (!isUnixSocket(value.address)) continue;
    const shown = keyValueText({ value: streamAddressText(value.address), hidden });
    report.add(`TLS to the unix socket ${shown} needs a name for its certificate`, {
      position,
      path,
      suggestion: 'write sni "name.example" in tls',
    });
  }
};

/** Checks the keys of an upstream against each other. */
export const checkUpstream = (upstream: ReadUpstream, report: ProblemReport): void => {
  checkTransport(upstream, report);
  checkTargets(upstream, report);
  checkPool(upstream, report);
  checkHealthCheck(upstream, report);
  checkBalancing(upstream, report);
};

/** Warns about upstreams with the same sticky cookie: name and path are equal, so they overwrite each other. */
export const warnOfSharedCookies = (upstreams: readonly ReadUpstream[], report: ProblemReport): void => {
  const owners = new Map<string, ReadUpstream>();
  for (const upstream of upstreams) {
    const { value: sticky, position } = upstream.fields['sticky-cookie'];
    if (sticky === null || !sticky.name.sound) continue;
    const owner = owners.get(sticky.name.value);
    if (owner === undefined) {
      owners.set(sticky.name.value, upstream);
      continue;
    }
    const [name, other] = [upstream.name.value, owner.name.value];
    report.add(`upstream "${name}" has the same sticky cookie as upstream "${other}": they overwrite each other`, {
      position: sticky.name.position ?? position,
      path: pathOf(upstream),
      severity: 'warning',
      suggestion: `write sticky-cookie "${name.replace(/[^A-Za-z0-9_.-]/g, '_').slice(0, 80)}_target"`,
    });
  }
};
