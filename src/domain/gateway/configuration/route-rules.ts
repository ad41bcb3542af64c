import { expressionRemedy, foreignPathPattern } from '../../configuration/schema/foreign-patterns.js';
import type { ProblemReport } from '../../configuration/schema/problem-report.js';
import { keyValueText, type Located } from '../../configuration/schema/schema.js';
import { normalisePath } from '../../http/path-normalisation.js';
import type { PatternFault } from '../routing/path-pattern.js';
import type { ReadRoute } from './read-gateway.js';
import { checkFixedResponse } from './respond-rules.js';
import { checkRewrite, separatorsOf } from './rewrite-rules.js';
import { answeringUpstreams, mirrorUpstream } from './route-upstreams.js';
import { checkSplitAndMirror } from './split-rules.js';

/** Names that routes can refer to. */
export interface ConfiguredNames {
  readonly upstreams: readonly string[];
  readonly agents: readonly string[];
}

const pathOf = (route: ReadRoute): readonly string[] => ['routes', `route "${route.name.value}"`];

/** The keys that say what answers a request. A route has exactly one of them. */
const destinationKeys = ['upstream', 'split', 'builtin-handler', 'redirect', 'respond'] as const;

const checkDestination = (route: ReadRoute, report: ProblemReport): void => {
  const { fields, name } = route;
  const { 'builtin-handler': handler, 'service-type': service } = fields;
  const isBuiltin = service.given && service.sound;
  const given = destinationKeys.filter((key) => fields[key].given || (key === 'builtin-handler' && isBuiltin));
  const [first, second] = given;
  if (first !== undefined && second !== undefined) {
    report.add(`route "${name.value}" has both "${first}" and "${second}"`, {
      position: fields[first].position,
      path: pathOf(route),
      suggestion: 'keep one of them: a route has one destination',
    });
  } else if (first === undefined) {
    report.add(`route "${name.value}" has no destination`, {
      position: name.position,
      path: pathOf(route),
      suggestion: `write one of: ${destinationKeys.join(', ')}`,
    });
  } else if (isBuiltin && !handler.given) {
    report.add(`route "${name.value}" has service-type "builtin", but no builtin-handler`, {
      position: service.position,
      path: pathOf(route),
      suggestion: 'write builtin-handler "health"',
    });
  }
};

const checkReferences = (route: ReadRoute, names: ConfiguredNames, report: ProblemReport): void => {
  const { agents } = route.fields;
  const mirror = mirrorUpstream(route);
  for (const upstream of [...answeringUpstreams(route), ...(mirror === null ? [] : [mirror])]) {
    if (names.upstreams.includes(upstream.value)) continue;
    report.add(`route "${route.name.value}" refers to an upstream ${keyValueText(upstream)} that is not defined`, {
      position: upstream.position,
      path: pathOf(route),
      suggestion: upstream.hidden === true ? null : report.nearMiss(upstream.value, names.upstreams),
    });
  }
  const seen = new Set<string>();
  for (const agent of agents.value) {
    const { value, position } = agent;
    if (!names.agents.includes(value)) {
      report.add(`route "${route.name.value}" refers to an agent ${keyValueText(agent)} that is not defined`, {
        position,
        path: pathOf(route),
        suggestion: agent.hidden === true ? null : report.nearMiss(value, names.agents),
      });
    } else if (seen.has(value)) {
      report.add(`route "${route.name.value}" lists the agent ${keyValueText(agent)} twice`, {
        position,
        path: pathOf(route),
      });
    }
    seen.add(value);
  }
};

/** Refuses a path that differs from its normal form: the router matches normal forms only. */
const checkPath = (
  { value, position, hidden = false }: Located<string>,
  key: 'path' | 'path-prefix',
  route: ReadRoute,
  report: ProblemReport,
): void => {
  const path = [...pathOf(route), 'matches', key];
  const pattern = hidden ? null : foreignPathPattern(value, key);
  if (pattern?.isCertain === true) {
    report.add(`"${key}" takes a literal path, not the pattern "${value.slice(0, 80)}"`, {
      position,
      path,
      suggestion: `write ${pattern.instead}`,
    });
    return;
  }
  if (!value.startsWith('/')) {
    report.add(`"${key}" must begin with a slash`, {
      position,
      path,
      suggestion: hidden ? null : `did you mean "/${value}"?`,
    });
    return;
  }
  const separators = separatorsOf(route.fields.policies.value);
  const normal = normalisePath(value, separators);
  if (normal.ok && normal.value === value) return;
  const refusal =
    separators === 'refuse' && normalisePath(value, 'keep').ok
      ? 'no request can have this path without allow-encoded-slash #true in policies'
      : 'no request can have this path';
  report.add(`"${key}" can never match: the gateway normalises paths before routing`, {
    position,
    path,
    suggestion: normal.ok && !hidden ? `the normal form is "${normal.value}"` : refusal,
  });
};

const spaceOrControl = /[\u0000-\u0020\u007f]/;

const checkMatches = (route: ReadRoute, patternFault: PatternFault, report: ProblemReport): void => {
  const matches = route.fields.matches.value;
  if (!Object.values(matches).some((kind) => kind.given)) {
    report.add(`route "${route.name.value}" has no matches`, {
      position: route.fields.matches.position ?? route.name.position,
      path: pathOf(route),
      suggestion: 'write matches { path-prefix "/" } to match every request',
    });
  }
  for (const path of matches.path.value) checkPath(path, 'path', route, report);
  for (const prefix of matches['path-prefix'].value) checkPath(prefix, 'path-prefix', route, report);
  for (const { value, position, hidden } of matches['path-regex'].value) {
    const fault = patternFault(value);
    const path = [...pathOf(route), 'matches', 'path-regex'];
    if (fault !== null) {
      report.add(`"path-regex" is not a valid regular expression${hidden === true ? '' : `: ${fault}`}`, {
        position,
        path,
        suggestion: hidden === true ? null : expressionRemedy(value),
      });
    } else if (spaceOrControl.test(value)) {
      report.add('"path-regex" contains a space or a control character, which no path has', {
        severity: 'warning',
        position,
        path,
        suggestion: String.raw`\s and \b are escapes of a string: write a raw string, as in #"^/a\b"#`,
      });
    }
  }
};

/** Checks the keys of a route against each other, and its references. */
export const checkRoute = (
  route: ReadRoute,
  names: ConfiguredNames,
  patternFault: PatternFault,
  report: ProblemReport,
): void => {
  checkDestination(route, report);
  checkSplitAndMirror(route, report);
  checkFixedResponse(route, report);
  checkReferences(route, names, report);
  checkMatches(route, patternFault, report);
  checkRewrite(route, patternFault, report);
};
