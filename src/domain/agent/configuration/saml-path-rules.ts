import { urlParts } from '../../http/absolute-uri.js';
import { prefixTakes } from '../../http/path-normalisation.js';
import { PathSet } from '../sign-on/protected-paths.js';
import type { SamlReport } from './option-report.js';
import { pathFault } from './path-fault.js';
import type { SamlBlockOptions } from './saml-options.js';

/** Paths of one list, at most. */
const maximumPaths = 1000;

/** Whether the path can be used. */
const checkPath = (key: string, path: string, report: SamlReport): boolean => {
  const fault = pathFault(path);
  if (fault !== null) report.error(`${key} ${fault}`, key);
  return fault === null;
};

/** A star would stand for itself, and a list that is meant as a pattern protect nothing. */
const prefixFault = (path: string): string | null => {
  if (!path.includes('*')) return pathFault(path);
  const prefix = /^(\/[^*]*)\/\*{1,2}$/.exec(path)?.[1] ?? (/^\/?\*{1,2}$/.test(path) ? '/' : null);
  return `must not hold "*": prefixes take all paths below${prefix === null ? '' : `: write "${prefix}"`}`;
};

const checkList = (key: 'protected-paths' | 'excluded-paths', paths: readonly string[], report: SamlReport): void => {
  if (paths.length > maximumPaths) report.error(`${key} has more than ${maximumPaths} paths`, key);
  const seen = new Set<string>();
  for (const [index, path] of paths.slice(0, maximumPaths).entries()) {
    const fault = prefixFault(path);
    if (fault !== null) report.error(`${key}: entry ${index + 1} ${fault}`, key);
    if (seen.has(path)) report.error(`${key}: entry ${index + 1} is an earlier one once more`, key);
    seen.add(path);
  }
};

const takes = (prefixes: readonly string[], path: string): boolean =>
  prefixes.some((prefix) => prefixTakes(prefix, path));

/** Who protects `/admin/` protects `/admin` too. */
const withoutLastSlash = (path: string): string => (path === '/' ? path : path.replace(/\/$/, ''));

/** Paths of one message, at most. */
const namedAtMost = 5;
/** Characters of a path in a message, at most. */
const shownLength = 100;

/** `excluded-paths` win: what they take as a whole is not protected, whatever `protected-paths` says. */
const checkExclusions = ({ protectedPaths, excludedPaths }: SamlBlockOptions, report: SamlReport): void => {
  const key = 'excluded-paths';
  if (excludedPaths.includes('/')) {
    report.warning('excluded-paths holds "/": no path is protected, and no session is ever looked at', key);
    return;
  }
  const excluded = new PathSet(excludedPaths);
  const open = protectedPaths.filter((path) => excluded.takes(withoutLastSlash(path)));
  if (open.length === 0) return;
  const names = open.slice(0, namedAtMost).map((path) => `"${path.slice(0, shownLength)}"`);
  if (open.length > namedAtMost) names.push(`${open.length - namedAtMost} more`);
  report.warning(`excluded-paths takes all of ${names.join(', ')}, so protected-paths protects nothing there`, key);
};

const checkEndpoints = (saml: SamlBlockOptions, report: SamlReport): void => {
  const taken = new Map<string, string>();
  for (const [key, path] of [
    ['acs-path', saml.acsPath],
    ['metadata-path', saml.metadataPath],
    ['logout-path', saml.logoutPath],
  ] as const) {
    checkPath(key, path, report);
    const other = taken.get(path);
    if (other !== undefined) report.error(`${key} and ${other} are one path`, key);
    taken.set(path, key);
  }
  if (urlParts(saml.acsUrl).path !== saml.acsPath) {
    const message = 'acs-path is not the path of acs-url: whatever is before the gateway has to lead there';
    report.warning(message, 'acs-path');
  }
};

const checkSignedOut = ({ signedOutPath, ...saml }: SamlBlockOptions, report: SamlReport): void => {
  if (signedOutPath === null) return;
  if (!checkPath('signed-out-path', signedOutPath, report)) return;
  if (signedOutPath === saml.logoutPath || signedOutPath === saml.acsPath || signedOutPath === saml.metadataPath) {
    report.error('signed-out-path has to be another path than the endpoints of single sign-on', 'signed-out-path');
    return;
  }
  if (takes(saml.excludedPaths, signedOutPath)) return;
  if (saml.protectedPaths.length > 0 && !takes(saml.protectedPaths, signedOutPath)) return;
  const message = 'signed-out-path is protected: who has signed out is sent to sign on again';
  report.warning(message, 'signed-out-path', 'serve it by a route without the agent, and add it to excluded-paths');
};

/** Checks every path that the block names. */
export const checkSamlPaths = (saml: SamlBlockOptions, report: SamlReport): void => {
  checkEndpoints(saml, report);
  checkSignedOut(saml, report);
  checkList('protected-paths', saml.protectedPaths, report);
  checkList('excluded-paths', saml.excludedPaths, report);
  checkExclusions(saml, report);
};
