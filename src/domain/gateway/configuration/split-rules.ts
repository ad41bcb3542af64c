import type { ProblemReport } from '../../configuration/schema/problem-report.js';
import { keyValueText, type Located } from '../../configuration/schema/schema.js';
import type { ReadRoute } from './read-gateway.js';
import { answeringUpstreams, mirrorUpstream } from './route-upstreams.js';

/** Each side is compiled into its own stages. */
const mostSides = 100;

const pathOf = (route: ReadRoute, key: 'split' | 'mirror'): readonly string[] => [
  'routes',
  `route "${route.name.value}"`,
  key,
];

const checkSplit = (route: ReadRoute, report: ProblemReport): void => {
  const { split } = route.fields;
  if (split.value === null || !split.value.upstream.sound) return;
  const sides = split.value.upstream.value;
  const refuse = (message: string, position: Located<unknown>['position'], suggestion: string): void =>
    report.add(message, { position, path: pathOf(route, 'split'), suggestion });
  if (sides.length === 0) refuse('"split" has no upstream', split.position, 'write upstream "name" weight=95');
  else if (sides.length > mostSides) {
    refuse(`"split" has ${sides.length} upstreams, more than ${mostSides}`, split.position, 'use fewer upstreams');
  } else if (sides.every(({ weight }) => weight.value === 0)) {
    refuse('"split" has no upstream with a weight above 0', split.position, 'give at least one upstream weight=1');
  }
  const unweighted = sides.find(({ hasWeight }) => !hasWeight);
  if (unweighted !== undefined && sides.some(({ hasWeight }) => hasWeight)) {
    const message = `"split" gives other upstreams a weight, but not ${keyValueText(unweighted.name)}`;
    refuse(message, unweighted.name.position, 'give every upstream a weight: without one it would count 1');
  }
  const seen = new Set<string>();
  for (const { name } of sides) {
    if (seen.has(name.value)) {
      const message = `"split" lists the upstream ${keyValueText(name)} twice`;
      refuse(message, name.position, 'write it once, with the sum of the weights');
    }
    seen.add(name.value);
  }
};

const checkMirror = (route: ReadRoute, report: ProblemReport): void => {
  const { mirror, upstream, split } = route.fields;
  if (mirror.value === null) return;
  if (!upstream.given && !split.given) {
    report.add('"mirror" has no effect on a route without an upstream', {
      position: mirror.position,
      path: pathOf(route, 'mirror'),
      suggestion: 'delete mirror, or write upstream "name" or split',
    });
    return;
  }
  const copy = mirrorUpstream(route);
  if (copy === null || !answeringUpstreams(route).some(({ value }) => value === copy.value)) return;
  report.add(`"mirror" sends requests a second time to upstream ${keyValueText(copy)}, which also answers them`, {
    severity: 'warning',
    position: copy.position,
    path: pathOf(route, 'mirror'),
    suggestion: 'name another upstream',
  });
};

/** Checks the split and the mirror of a route, except that their upstreams exist. */
export const checkSplitAndMirror = (route: ReadRoute, report: ProblemReport): void => {
  checkSplit(route, report);
  checkMirror(route, report);
};
