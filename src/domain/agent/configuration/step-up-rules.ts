import type { OptionPlace } from '../../configuration/agent-option-problem.js';
import { samlProviderName } from '../saml/session-of-assertion.js';
import {
  combineRequirements,
  comparedPath,
  type RequiredPath,
  type SessionRequirement,
} from '../sessions/session-requirements.js';
import {
  combinedProtection,
  compileProtectedPaths,
  type ProtectedPaths,
  pathProtection,
} from '../sign-on/protected-paths.js';
import type { OidcLoginOptions } from './oidc-login-options.js';
import type { OptionReport } from './option-report.js';
import type { SamlOptions } from './saml-options.js';
import { prefixFault } from './saml-path-rules.js';
import type { RequireBlockOptions } from './sessions-options.js';

/** Maximum `require` blocks: each request is compared with all of them. */
const maximumRequired = 100;
/** Maximum contexts of a block: challenges list them. */
const maximumContexts = 16;

/** What every session of a login meets. */
export const loginRequirement = ({
  name,
  acrValues,
  maxAgeSecs,
}: Pick<OidcLoginOptions, 'name' | 'acrValues' | 'maxAgeSecs'>): SessionRequirement => ({
  provider: name,
  acrValues,
  maxAgeSecs,
});

/** What every session of SAML meets. */
export const samlRequirement = ({ authnContexts }: Pick<SamlOptions, 'authnContexts'>): SessionRequirement => ({
  provider: samlProviderName,
  acrValues: authnContexts,
  maxAgeSecs: null,
});

/** The enabled ways to sign on. */
interface SignOnWays {
  readonly saml: SamlOptions | null;
  readonly oidcLogins: readonly OidcLoginOptions[];
}

interface Way {
  readonly requirement: SessionRequirement;
  readonly paths: ProtectedPaths;
}

const waysOf = ({ saml, oidcLogins }: SignOnWays): readonly Way[] => [
  ...(saml === null ? [] : [{ requirement: samlRequirement(saml), paths: compileProtectedPaths(saml) }]),
  ...oidcLogins.map((login) => ({ requirement: loginRequirement(login), paths: compileProtectedPaths(login) })),
];

/** Reports a problem of one block; `key` is absent for the whole block. */
type RequireReport = (message: string, key?: string, suggestion?: string) => void;

const checkPath = (path: string, ways: readonly Way[], report: RequireReport): void => {
  const fault = prefixFault(path);
  if (fault !== null) {
    report(`the path ${fault}`, 'name');
    return;
  }
  const protection = combinedProtection(ways.map(({ paths }) => pathProtection(paths, path)));
  if (protection !== 'protected') {
    report('no way to sign on protects the path', 'name', 'add it to protected-paths of saml or oidc-login');
  }
};

/** Refuses a requirement that no sign-on can meet: it would close the path to every session. */
const checkWays = (required: RequireBlockOptions, ways: readonly Way[], report: RequireReport): void => {
  const { provider } = required;
  const names = ways.map(({ requirement }) => requirement.provider);
  if (provider !== null && !names.includes(provider)) {
    const known = names.map((name) => `"${name}"`).join(', ');
    report(`no enabled way to sign on is named "${provider}"`, 'provider', `use one of ${known}`);
    return;
  }
  if (ways.some(({ requirement }) => combineRequirements(requirement, required) !== 'impossible')) return;
  const others = provider === null ? 'every way to sign on accepts' : `"${provider}" accepts`;
  report(`acr-values has no value in common with those that ${others}`, 'acr-values');
};

const checkKeys = ({ provider, acrValues, maxAgeSecs }: RequireBlockOptions, report: RequireReport): void => {
  if (provider === null && acrValues.length === 0 && maxAgeSecs === null) {
    report('it requires nothing', undefined, 'add provider, acr-values or max-age-secs, or remove the block');
  }
  if (acrValues.length > maximumContexts) report(`acr-values has more than ${maximumContexts} values`, 'acr-values');
  if (new Set(acrValues).size < acrValues.length) report('acr-values repeats a value', 'acr-values');
};

/** Checks the `require` blocks of `sessions`. */
export const requiredPaths = (
  blocks: readonly RequireBlockOptions[],
  enabled: SignOnWays,
  error: OptionReport,
): readonly RequiredPath[] => {
  const ways = waysOf(enabled);
  const whole = { key: 'require' };
  if (blocks.length > 0 && ways.length === 0) {
    error('sessions', 'require has no effect without an enabled way to sign on', 'add saml or oidc-login', whole);
    return [];
  }
  if (blocks.length > maximumRequired) {
    error('sessions', `there are more than ${maximumRequired} require blocks`, undefined, whole);
    return [];
  }
  const taken = new Set<string>();
  return blocks.flatMap((required, block) => {
    const { path } = required;
    const label = path === null ? `require ${block + 1}` : `require "${path}"`;
    const report: RequireReport = (message, key, suggestion) => {
      const place: OptionPlace = key === undefined ? { block } : { block, key };
      error('sessions', `${label}: ${message}`, suggestion, place);
    };
    checkKeys(required, report);
    checkWays(required, ways, report);
    if (path === null) {
      report('it has no path', undefined, 'write require "/admin" { ... }');
      return [];
    }
    checkPath(path, ways, report);
    const compared = comparedPath(path);
    if (taken.has(compared))
      report('an earlier block has the same path', 'name', 'paths compare without regard to case');
    taken.add(compared);
    return [{ ...required, path }];
  });
};
