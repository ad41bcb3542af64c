import { namedBalancing } from '../../../gateway/configuration/balancing-schema.js';
import { matchKeys } from '../../../gateway/configuration/route-schema.js';
import type { Setting } from '../../setting/setting.js';
import { type BlockMember, blockMembers, blocksNamed, type PlacedBlock } from './block-members.js';
import { currentKeyName } from './current-key-name.js';
import type { PlanDraft } from './migration-step.js';

const argumentOf = (members: readonly BlockMember[], name: string): unknown =>
  members.find((member) => member.name === name)?.args[0]?.value;

/** Removes route keys that state the default, such as `failure-mode "closed"` and `service-type "web"`. */
const planIdleKeys = ({ block: route, path }: PlacedBlock, plan: PlanDraft): void => {
  for (const { name, reference, args, line } of blockMembers(route)) {
    const value = args.length === 1 ? args[0]?.value : undefined;
    const remove = { kind: 'remove', parent: path, member: reference } as const;
    if (name === 'failure-mode' && value === 'closed') {
      plan.add(remove, line, '"failure-mode" belongs in the agent, where "closed" is the default: removed');
    } else if (name === 'failure-mode') {
      plan.leave(line, 'write failure-mode "open" in the agents that may fail open, and delete it in the route');
    } else if (name === 'service-type' && (value === 'web' || value === 'api')) {
      plan.add(remove, line, '"service-type" is only for builtin routes: removed');
    } else if (name === 'websocket' && (value === true || args.length === 0)) {
      plan.add(remove, line, 'every route forwards WebSocket upgrades: "websocket" is removed');
    }
  }
};

/** Moves `retry-policy { max-attempts N }` to `retries` of the upstream, if only one route uses it. */
const planRetries = (
  { block: route, path }: PlacedBlock,
  routes: readonly PlacedBlock[],
  upstreams: readonly PlacedBlock[],
  plan: PlanDraft,
): void => {
  (route.children ?? []).forEach((policy, index) => {
    if (currentKeyName(policy.name) !== 'retry-policy') return;
    const line = policy.position?.line ?? 1;
    const upstream = argumentOf(blockMembers(route), 'upstream');
    const home = upstreams.find(({ block }) => block.args[0]?.value === upstream);
    const users = routes.filter(({ block }) => argumentOf(blockMembers(block), 'upstream') === upstream);
    const members = blockMembers(policy);
    const [attempts, ...others] = members;
    const hasRetries = home !== undefined && blockMembers(home.block).some(({ name }) => name === 'retries');
    if (
      attempts?.name !== 'max-attempts' ||
      others.length > 0 ||
      home === undefined ||
      users.length > 1 ||
      hasRetries
    ) {
      plan.leave(
        line,
        'write retries { max-attempts 3 } in the upstream and delete "retry-policy"; retries by status and backoff do not exist',
      );
      return;
    }
    plan.add(
      {
        kind: 'lift',
        parent: [...path, index],
        member: { member: attempts.reference, keys: [{ name: 'max-attempts' }] },
        home: home.path,
        block: 'retries',
      },
      line,
      '"retry-policy" of a route becomes "retries" of its upstream',
    );
    plan.steps.push({ kind: 'remove', parent: path, member: { kind: 'child', index } });
  });
};

const pathKeys: readonly string[] = ['path', 'path-prefix', 'path-regex'];

/** The match keys of a route, on the route itself and in `matches`. */
const matchesOf = (route: Setting): readonly BlockMember[] =>
  [route, ...(route.children ?? []).filter(({ name }) => currentKeyName(name) === 'matches')]
    .flatMap(blockMembers)
    .filter(({ name }) => matchKeys.includes(name));

const takesEverything = (matches: readonly BlockMember[]): boolean => {
  const [first] = matches;
  return matches.length === 1 && first?.name === 'path-prefix' && first.args.some(({ value }) => value === '/');
};

/** Whether a route comes before a catch-all route of normal priority. */
const comesFirst = (route: Setting): boolean => {
  const priority = argumentOf(blockMembers(route), 'priority');
  const isLow = priority === 'low' || (typeof priority === 'number' && priority < 50);
  return !isLow && matchesOf(route).some(({ name }) => pathKeys.includes(name));
};

/** Turns `default-route` of a listener into a catch-all route after all others. */
const planDefaultRoute = (
  { block: listener, path }: PlacedBlock,
  routes: readonly PlacedBlock[],
  done: Set<unknown>,
  plan: PlanDraft,
): void => {
  for (const { name, reference, args, line } of blockMembers(listener)) {
    if (name !== 'default-route') continue;
    const wanted = args[0]?.value;
    const home = routes.find(({ block }) => block.args[0]?.value === wanted);
    const others = routes.filter((route) => route !== home).map(({ block }) => block);
    const matches = home === undefined ? [] : matchesOf(home.block);
    if (home !== undefined && (takesEverything(matches) || done.has(wanted))) {
      const message = `"default-route" is removed: route "${String(wanted)}" already matches all other requests`;
      plan.add({ kind: 'remove', parent: path, member: reference }, line, message);
    } else if (
      home !== undefined &&
      matches.length === 0 &&
      done.size === 0 &&
      argumentOf(blockMembers(home.block), 'priority') === undefined &&
      others.every(comesFirst)
    ) {
      done.add(wanted);
      plan.add(
        {
          kind: 'lift',
          parent: path,
          member: { member: reference, keys: [{ name: 'path-prefix', value: '/' }] },
          home: home.path,
          block: 'matches',
        },
        line,
        `"default-route" becomes path-prefix "/" of route "${String(wanted)}"`,
      );
    } else {
      plan.leave(
        line,
        'write matches { path-prefix "/" } on the default route, give the others a higher priority, and delete "default-route"',
      );
    }
  }
};

/** Replaces methods such as `round_robin`. A method without an exact equivalent stays, and the reader suggests one. */
const planBalancing = ({ block: upstream, path }: PlacedBlock, plan: PlanDraft): void => {
  (upstream.children ?? []).forEach((setting, index) => {
    const value = setting.args[0]?.value;
    if (currentKeyName(setting.name) !== 'load-balancing' || typeof value !== 'string') return;
    const name = value.toLowerCase().replaceAll('_', '-');
    const method = namedBalancing(value);
    if (method === null || method === value || ['random', 'header', 'cookie', 'hash'].includes(name)) return;
    const step = { kind: 'retype', setting: [...path, index], argument: 0, value: method } as const;
    plan.add(step, setting.position?.line ?? 1, `load-balancing "${value}" becomes "${method}"`);
  });
};

/** Migrates route and upstream keys of other gateways. */
export const planForeignRoutes = (settings: readonly Setting[], plan: PlanDraft): void => {
  const routes = blocksNamed(settings, 'route', 'routes');
  const upstreams = blocksNamed(settings, 'upstream', 'upstreams');
  const done = new Set<unknown>();
  for (const route of routes) {
    planIdleKeys(route, plan);
    planRetries(route, routes, upstreams, plan);
  }
  for (const listener of blocksNamed(settings, 'listener', 'listeners')) planDefaultRoute(listener, routes, done, plan);
  for (const upstream of upstreams) planBalancing(upstream, plan);
};
