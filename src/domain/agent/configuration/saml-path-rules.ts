import { urlParts } from '../../http/absolute-uri.js';
import { prefixTakes } from '../../http/path-normalisation.js';
import { PathSet } from '../sign-on/protected-paths.js';
import type { SamlReport } from './option-report.js';
import { pathFault } from './path-fault.js';
import type { SamlBlockOptions } from './saml-options.js';

/** The paths on which a way to sign on applies. */
interface PathLists {
  readonly protectedPaths: readonly string[];
  readonly excludedPaths: readonly string[];
}

/** Reports a problem of a key with paths. */
interface PathReport {
  error(message: string, key: string, suggestion?: string): void;
  warning(message: string, key: string): void;
}

/** Maximum paths of a list. */
const maximumPaths = 1000;

/** Whether the path can be used. */
const checkPath = (key: string, path: string, report: SamlReport): boolean => {
  const fault = pathFault(path);
  if (fault !== null) report.error(`${key} ${fault}`, key);
  return fault === null;
};

/** A star would be literal, and a list meant as patterns would protect nothing. */
export const prefixFault = (path: string): string | null => {
  if (!path.includes('*')) return pathFault(path);
  const prefix = /^(\/[^*]*)\/\*{1,2}$/.exec(path)?.[1] ?? (/^\/?\*{1,2}$/.test(path) ? '/' : null);
  return `must not contain "*": prefixes cover all paths below${prefix === null ? '' : `: write "${prefix}"`}`;
};

const checkList = (key: 'protected-paths' | 'excluded-paths', paths: readonly string[], report: PathReport): void => {
  if (paths.length > maximumPaths) report.error(`${key} has more than ${maximumPaths} paths`, key);
  const seen = new Set<string>();
  for (const [index, path] of paths.slice(0, maximumPaths).entries()) {
    const fault = prefixFault(path);
    if (fault !== null) report.error(`${key}: entry ${index + 1} ${fault}`, key);
    if (seen.has(path)) report.error(`${key}: entry ${index + 1} repeats an earlier one`, key);
    seen.add(path);
  }
};

const takes = (prefixes: readonly string[], path: string): boolean =>
  prefixes.some((prefix) => prefixTakes(prefix, path));

/** Protecting `/admin/` also protects `/admin`. */
const withoutLastSlash = (path: string): string => (path === '/' ? path : path.replace(/\/$/, ''));

/** Maximum paths in a message. */
const namedAtMost = 5;
/** Maximum characters of a path in a message. */
const shownLength = 100;

/** `excluded-paths` override `protected-paths`: reports protected paths that are completely excluded. */
const checkExclusions = ({ protectedPaths, excludedPaths }: PathLists, report: PathReport): void => {
  const key = 'excluded-paths';
  if (excludedPaths.includes('/')) {
    report.warning('excluded-paths contains "/": no path is protected, and sessions are ignored everywhere', key);
    return;
  }
  const excluded = new PathSet(excludedPaths);
  const open = protectedPaths.filter((path) => excluded.takes(withoutLastSlash(path)));
  if (open.length === 0) return;
  const names = open.slice(0, namedAtMost).map((path) => `"${path.slice(0, shownLength)}"`);
  if (open.length > namedAtMost) names.push(`${open.length - namedAtMost} more`);
  report.warning(`excluded-paths covers all of ${names.join(', ')}, so protected-paths has no effect there`, key);
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
    if (other !== undefined) report.error(`${key} and ${other} are the same path`, key);
    taken.set(path, key);
  }
  if (urlParts(saml.acsUrl).path !== saml.acsPath) {
    const message = 'acs-path differs from the path of acs-url: a proxy in front of the gateway must rewrite it';
    report.warning(message, 'acs-path');
  }
};

const checkSignedOut = ({ signedOutPath, ...saml }: SamlBlockOptions, report: SamlReport): void => {
  if (signedOutPath === null) return;
  if (!checkPath('signed-out-path', signedOutPath, report)) return;
  if (signedOutPath === saml.logoutPath || signedOutPath === saml.acsPath || signedOutPath === saml.metadataPath) {
    report.error('signed-out-path must differ from the endpoints of single sign-on', 'signed-out-path');
    return;
  }
  if (takes(saml.excludedPaths, signedOutPath)) return;
  if (saml.protectedPaths.length > 0 && !takes(saml.protectedPaths, signedOutPath)) return;
  const message = 'signed-out-path is protected: a signed-out user is redirected to sign on again';
  report.warning(message, 'signed-out-path', 'serve it on a route without the agent, and add it to excluded-paths');
};

/** Checks protected and excluded paths. */
export const checkPathLists = (lists: PathLists, report: PathReport): void => {
  checkList('protected-paths', lists.protectedPaths, report);
  checkList('excluded-paths', lists.excludedPaths, report);
  checkExclusions(lists, report);
};

/** Checks all paths of the block. */
export const checkSamlPaths = (saml: SamlBlockOptions, report: SamlReport): void => {
  checkEndpoints(saml, report);
  checkSignedOut(saml, report);
  checkPathLists(saml, report);
};
