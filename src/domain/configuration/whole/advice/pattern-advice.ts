import { type ReadGateway, type ReadRoute, routesOf } from '../../../gateway/configuration/read-gateway.js';
import { type NamedMatchKey, namedMatchKeys } from '../../../gateway/configuration/route-schema.js';
import { type ForeignPattern, foreignExpression, foreignPathPattern } from '../../schema/foreign-patterns.js';
import type { Located } from '../../schema/schema.js';
import type { AdviceReport } from './advice-report.js';

const id = 'pattern-taken-literally';

const warnAboutPaths = (
  route: string,
  key: string,
  texts: readonly Located<string>[],
  patternOf: (text: string) => ForeignPattern | null,
  report: AdviceReport,
): void => {
  for (const { value, position, hidden } of texts) {
    const pattern = hidden === true ? null : patternOf(value);
    if (pattern === null) continue;
    const message = `route "${route}" matches ${key} "${value.slice(0, 80)}" literally`;
    report.suggest(id, message, position, `write ${pattern.instead}`);
  }
};

/** Headers in which a client may send a literal star (RFC 9110, sections 13.1.1 and 13.1.2). */
const sendsStar = /^if-(?:none-)?match$/i;

const warnAboutNamedMatch = ({ name, fields }: ReadRoute, key: NamedMatchKey, report: AdviceReport): void => {
  const field = fields.matches.value[key];
  for (const match of field.value) {
    if (match.value === null || !/^(?:\*|\.[*+])$/.test(match.value) || sendsStar.test(match.name)) continue;
    const message = `route "${name.value}" matches the value "${match.value}" of ${key} "${match.name}" literally`;
    report.suggest(id, message, field.position, `write ${key} "${match.name}" to match every value`);
  }
};

const warnAboutMethods = ({ name, fields }: ReadRoute, report: AdviceReport): void => {
  for (const { value, position, hidden } of fields.matches.value.method.value) {
    if (hidden === true || !/^(?:ANY|ALL)$/.test(value)) continue;
    const message = `route "${name.value}" matches only requests with the literal method ${value}`;
    report.suggest(id, message, position, 'delete method to match every method');
  }
};

/** Matches of routes that look like patterns of another program. */
export const warnAboutPatterns = (gateway: ReadGateway, report: AdviceReport): void => {
  for (const route of routesOf(gateway)) {
    const { matches } = route.fields;
    for (const key of ['path', 'path-prefix'] as const) {
      warnAboutPaths(route.name.value, key, matches.value[key].value, (text) => foreignPathPattern(text, key), report);
    }
    warnAboutPaths(route.name.value, 'path-regex', matches.value['path-regex'].value, foreignExpression, report);
    for (const key of namedMatchKeys) warnAboutNamedMatch(route, key, report);
    warnAboutMethods(route, report);
  }
};
