import { socketAddressText } from '../../configuration/schema/network-kinds.js';
import type { ProblemReport } from '../../configuration/schema/problem-report.js';
import { hostKey } from '../../configuration/schema/scalar-keys.js';
import { keyValueText } from '../../configuration/schema/schema.js';
import { type ReadUpstream, targetsOf } from './read-gateway.js';

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
    const key = `${hostKey(value.address.host)} ${value.address.port}`;
    if (seen.has(key)) {
      const shown = keyValueText({ value: socketAddressText(value.address), hidden });
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

/** Checks the keys of an upstream against each other. */
export const checkUpstream = (upstream: ReadUpstream, report: ProblemReport): void => {
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
