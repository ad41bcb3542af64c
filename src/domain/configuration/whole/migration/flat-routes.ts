import type { Setting } from '../../setting/setting.js';
import { type BlockMember, blockMembers, blocksNamed, type PlacedBlock } from './block-members.js';
import { disabledName } from './disabled-setting.js';
import type { PlanDraft } from './migration-step.js';

/** Former keys of a route, by the block of the route that contains them now. */
const homes: readonly (readonly [block: string, keys: ReadonlySet<string>])[] = [
  ['matches', new Set(['path', 'path-prefix', 'path-regex', 'host', 'method', 'header', 'query-param'])],
  [
    'policies',
    new Set(['max-body-size', 'timeout-secs', 'timeouts', 'buffer-requests', 'buffer-responses', 'rate-limit']),
  ],
];

const namesOf = (settings: readonly BlockMember[]): string =>
  [...new Set(settings.map(({ name }) => `"${name}"`))].join(', ');

const planHome = (
  { block: route, path }: PlacedBlock,
  home: string,
  keys: ReadonlySet<string>,
  plan: PlanDraft,
): void => {
  const members = blockMembers(route);
  const flat = members.filter(({ name }) => keys.has(name));
  // Commented-out keys move too, so that they stay valid when somebody enables them.
  const all = members.filter(({ name }) => keys.has(disabledName(name) ?? name));
  const [first] = flat;
  if (first === undefined) return;
  const homesThere = (route.children ?? []).filter(({ name }) => name === home);
  if (homesThere.length > 1) {
    plan.leave(first.line, `"${home}" occurs twice: move ${namesOf(flat)} by hand`);
    return;
  }
  const there = new Set(homesThere.flatMap(blockMembers).map(({ name }) => name));
  const doubled = flat.filter(({ name }) => there.has(name));
  // Values of one kind are alternatives, so merging two places would match more requests than either.
  if (doubled[0] !== undefined) {
    plan.leave(doubled[0].line, `${namesOf(doubled)} occurs on the route and in "${home}": keep one of them`);
    return;
  }
  plan.add(
    {
      kind: 'nest',
      parent: path,
      block: home,
      members: all.map(({ reference, name }) => ({ member: reference, keys: [{ name: disabledName(name) ?? name }] })),
    },
    first.line,
    `${namesOf(flat)} of a route ${new Set(flat.map(({ name }) => name)).size === 1 ? 'moves' : 'move'} to "${home}"`,
  );
};

/** Moves matches and policies of routes into their blocks. */
export const planFlatRoutes = (settings: readonly Setting[], plan: PlanDraft): void => {
  for (const placed of blocksNamed(settings, 'route', 'routes')) {
    for (const [home, keys] of homes) planHome(placed, home, keys, plan);
  }
};
