import {
  applyHeaderRules,
  type CompiledHeaderRules,
  compileHeaderRules,
  type HeaderRuleName,
  type HeaderRules,
  ruleNames,
} from '../../../domain/gateway/route-transforms/header-rules.js';
import type { PlaceholderValues } from '../../../domain/gateway/route-transforms/placeholder-template.js';
import { canonicalName } from '../../../domain/http/canonical-name.js';
import { allHeaders, type HeaderList, withoutHeader } from '../../../domain/http/header-list.js';
import { isOwned, type OwnedHeaders, ownedHeaders } from '../../../domain/http/owned-headers.js';
import type { Logger } from '../../ports/shared/logger.js';
import type { ResponseHeadRule } from './exchange.js';
import { placeholdersOf } from './placeholder-values.js';
import type { IdentityHeaderFilter } from './stages/prepare-headers.js';

export type HeaderRuleKey = 'request-headers' | 'response-headers';

/** A rule and the routes that have it. */
interface NotedRule {
  readonly rule: HeaderRuleName;
  readonly routes: string[];
  isReported: boolean;
}

/** How many routes a log line names. */
const maxNamedRoutes = 5;

const nothingOwned = ownedHeaders([]);

/**
 * The header rules of one configuration. A rule for a header that an agent declares as its own is skipped, because only
 * the agent may set it. Agents declare headers when they connect, so the configuration rules cannot refuse all of them.
 */
export class HeaderRulesInForce {
  readonly #identity: Pick<IdentityHeaderFilter, 'current'>;
  readonly #logger: Logger;
  readonly #noted = new Map<string, NotedRule>();
  #owned = nothingOwned;

  constructor(identity: Pick<IdentityHeaderFilter, 'current'>, logger: Logger) {
    this.#identity = identity;
    this.#logger = logger;
  }

  /**
   * The rules of a route for one direction; null: there are none.
   *
   * @param route names the rules in the log
   */
  of(rules: HeaderRules | null, key: HeaderRuleKey, route: string): RouteHeaderRules | null {
    if (rules === null) return null;
    for (const rule of ruleNames(rules)) {
      const text = `${key} { ${rule.operation} "${rule.name}" }`;
      const noted = this.#noted.get(text);
      if (noted === undefined) this.#noted.set(text, { rule, routes: [route], isReported: false });
      else if (noted.routes.at(-1) !== route) noted.routes.push(route);
    }
    return new RouteHeaderRules(rules, () => this.#current());
  }

  /** The headers that no rule may change. Reports the rules that are skipped since they changed, each once. */
  #current(): OwnedHeaders {
    const owned = this.#identity.current();
    if (owned === this.#owned) return owned;
    this.#owned = owned;
    for (const [rule, noted] of this.#noted) {
      if (noted.isReported || !isOwned(owned, canonicalName(noted.rule.name))) continue;
      noted.isReported = true;
      const more = noted.routes.length - maxNamedRoutes;
      this.#logger.error('a header rule is skipped: an agent declares the header as its own', {
        rule,
        routes: noted.routes.slice(0, maxNamedRoutes).join(', ') + (more > 0 ? ` and ${more} more` : ''),
      });
    }
    return owned;
  }
}

/** The header rules of a route for one direction, without those that are skipped. */
export class RouteHeaderRules {
  readonly #rules: HeaderRules;
  readonly #owned: () => OwnedHeaders;
  #compiledFor = nothingOwned;
  #compiled: CompiledHeaderRules | null = null;

  /** @param owned the headers that no rule may change at the time */
  constructor(rules: HeaderRules, owned: () => OwnedHeaders) {
    this.#rules = rules;
    this.#owned = owned;
  }

  /** The canonical names that the rules remove or replace. */
  get replaced(): ReadonlySet<string> {
    const { remove, set } = this.#rules;
    return new Set([...remove, ...set.map(({ name }) => name)].map(canonicalName));
  }

  /** @param values the values of placeholders; called only if a rule has one */
  apply(headers: HeaderList, values: () => PlaceholderValues): HeaderList {
    const owned = this.#owned();
    if (owned !== this.#compiledFor) {
      this.#compiledFor = owned;
      this.#compiled = compileHeaderRules(this.#rules, ({ name }) => !isOwned(owned, canonicalName(name)));
    }
    return this.#compiled === null ? headers : applyHeaderRules(headers, this.#compiled, values);
  }
}

const contentPolicy = 'content-security-policy';

/**
 * Changes the heads of responses. A page of the gateway or of an agent keeps its Content-Security-Policy, which permits
 * what that page needs, such as the script of a sign-on form.
 */
export const responseHeaderRule =
  (rules: RouteHeaderRules): ResponseHeadRule =>
  (headers, exchange, source) => {
    const changed = rules.apply(headers, () => placeholdersOf(exchange));
    const policies = source === 'gateway' ? allHeaders(headers, contentPolicy) : [];
    if (policies.length === 0) return changed;
    const own = policies.flatMap((policy) => ['Content-Security-Policy', policy]);
    return [...withoutHeader(changed, contentPolicy), ...own];
  };
