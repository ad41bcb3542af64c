import { type ConfigurationProblem, unplacedProblem } from '../../../configuration/configuration-problem.js';
import { didYouMean } from '../../../configuration/schema/did-you-mean.js';
import { boundedProblems } from '../../../configuration/schema/problem-report.js';
import { err, ok, type Result } from '../../../shared/result.js';
import { escapeInvisible, quoteName } from '../abbreviate-text.js';
import { type CompiledPolicies, compilePolicies } from '../evaluate/compile-policies.js';
import { linkTemplate } from '../link-template.js';
import { parseEntityUid } from '../parse/parse-entity-uid.js';
import { parsePolicies } from '../parse/parse-policies.js';
import type { SourceSpan } from '../source-lines.js';
import type { Policy, PolicyDialect } from '../syntax-tree.js';
import type { EntityUid } from '../values/value.js';
import type { PolicyLink, PolicyOrigin, PolicySource } from './policy-source.js';
import { type PolicyRemark, PolicyText } from './policy-text.js';

/** Maximum length of an id, in UTF-16 code units. The id is logged with every decision it determines. */
const maximumPolicyIdLength = 128;

/** Control and format characters (such as bidirectional marks), lone surrogates, line separators. */
const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** The fault of an id, or null. */
const idFault = (id: string): string | null => {
  if (id === '') return 'the id of a policy must not be empty';
  if (id.length > maximumPolicyIdLength) {
    return `the id of a policy must have at most ${maximumPolicyIdLength} characters`;
  }
  return hidden.test(id)
    ? 'the id of a policy must not have control characters, line breaks or invisible characters'
    : null;
};

/** A policy and its source text. */
interface PlacedPolicy {
  readonly policy: Policy;
  readonly text: PolicyText;
}

/** Assigns policy ids and detects duplicates. */
class PolicyIds {
  readonly #places = new Map<string, { readonly text: PolicyText; readonly span: SourceSpan } | null>();

  /** Reserves an id. Returns the place of the earlier use as text, or null if the id was free. */
  reserve(id: string, place: { readonly text: PolicyText; readonly span: SourceSpan } | null): string | null {
    const taken = this.#places.get(id);
    if (taken === undefined) {
      this.#places.set(id, place);
      return null;
    }
    return taken === null ? 'by another template-link' : `at ${taken.text.placeOf(taken.span)}`;
  }

  /** The policy with its id: the `@id` annotation, otherwise `numbered`. */
  name(
    policy: Policy,
    text: PolicyText,
    numbered: string,
  ): { readonly placed: PlacedPolicy; readonly problem: ConfigurationProblem | null } {
    const { span, annotations } = policy;
    const given = annotations.get('id');
    const id = given ?? numbered;
    const placed = { policy: { ...policy, id }, text };
    const problem = (message: string, suggestion: string | null) => ({
      placed,
      problem: text.problemAt(span, { severity: 'error', message, suggestion }),
    });
    const fault = given === undefined ? null : idFault(given);
    if (fault !== null) return problem(fault, 'write it as @id("readers-read")');
    const taken = this.reserve(id, { text, span });
    if (taken === null) return { placed, problem: null };
    return problem(`the policy id ${quoteName(id)} is already taken ${taken}`, 'give each policy a unique @id');
  }
}

const entityOf = (text: string | null, role: string): Result<EntityUid | null, string> => {
  if (text === null) return ok(null);
  const uid = parseEntityUid(text);
  return uid.ok ? uid : err(`the ${role} is not an entity: ${uid.error}`);
};

const linked = (link: PolicyLink, template: Policy): Result<Policy, string> => {
  const principal = entityOf(link.principal, 'principal');
  if (!principal.ok) return principal;
  const resource = entityOf(link.resource, 'resource');
  if (!resource.ok) return resource;
  return linkTemplate(template, link.id, {
    ...(principal.value === null ? {} : { principal: principal.value }),
    ...(resource.value === null ? {} : { resource: resource.value }),
  });
};

interface LinkedPolicies {
  readonly policies: readonly PlacedPolicy[];
  readonly problems: readonly ConfigurationProblem[];
}

/** Creates policies from templates. */
const linkPolicies = (
  links: readonly PolicyLink[],
  placed: readonly PlacedPolicy[],
  ids: PolicyIds,
): LinkedPolicies => {
  const byId = new Map(placed.map((one) => [one.policy.id, one]));
  const templateIds = placed.filter(({ policy }) => policy.slots.length > 0).map(({ policy }) => policy.id);
  const policies: PlacedPolicy[] = [];
  const problems: ConfigurationProblem[] = [];
  for (const link of links) {
    const { position, line } = link;
    const refuse = (message: string, suggestion: string | null) =>
      problems.push({
        severity: 'error',
        message: `template-link ${quoteName(link.id)}: ${message}`,
        position,
        line,
        suggestion,
      });
    const template = byId.get(link.template);
    const fault = idFault(link.id);
    if (fault !== null) {
      refuse(fault, null);
      continue;
    }
    const taken = ids.reserve(link.id, null);
    if (taken !== null) {
      refuse(`the policy id is already taken ${taken}`, null);
    } else if (template === undefined) {
      refuse(`there is no template ${quoteName(link.template)}`, didYouMean(link.template, templateIds));
    } else if (template.policy.slots.length === 0) {
      refuse(`${quoteName(link.template)} is not a template`, 'a template has ?principal or ?resource in its scope');
    } else {
      const policy = linked(link, template.policy);
      if (policy.ok) policies.push({ policy: policy.value, text: template.text });
      else refuse(policy.error, null);
    }
  }
  return { policies, problems };
};

const baseName = (name: string): string => name.slice(name.lastIndexOf('/') + 1);

const countOf = (texts: readonly string[]): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
};

/**
 * The prefix of numbered policy ids, unique per source. Empty for a single source. Otherwise the base name of the
 * source, the full name if base names collide, and a counter if full names collide. Invisible characters are escaped,
 * because ids are logged.
 */
const sourceLabels = (sources: readonly string[]): readonly string[] => {
  if (sources.length === 1) return [''];
  const names = sources.map(escapeInvisible);
  const baseNames = names.map(baseName);
  const [sameBase, sameName] = [countOf(baseNames), countOf(names)];
  const seen = new Map<string, number>();
  return names.map((name, index) => {
    const base = baseNames[index] as string;
    if (sameBase.get(base) === 1) return `${base}/`;
    if (sameName.get(name) === 1) return `${name}/`;
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return `${name}#${count}/`;
  });
};

/** Policies that are ready for use. */
export interface LoadedPolicies {
  /** In the order of the sources, without templates; then the linked policies in the order of their links. */
  readonly policies: readonly Policy[];
  readonly templates: readonly Policy[];
  /** Templates without a link. They never apply. */
  readonly unlinkedTemplates: readonly Policy[];
  /** Sources without any policy or template. */
  readonly emptySources: readonly PolicySource[];
  /** The compiled form of `policies`. */
  readonly compiled: CompiledPolicies;
  /** The origin of a policy or template; undefined for an unknown id. */
  sourceOf(policyId: string): PolicyOrigin | undefined;
  /** The link that created a policy; undefined for a policy that is not linked. */
  linkOf(policyId: string): PolicyLink | undefined;
  /** A configuration problem at a position in a policy's text. */
  problemAt(policyId: string, span: SourceSpan, remark: PolicyRemark): ConfigurationProblem;
}

export interface LoadLimits {
  /** Maximum number of policies, templates and links together. */
  readonly policies: number;
}

interface ReadSources {
  readonly placed: readonly PlacedPolicy[];
  readonly empty: readonly PolicySource[];
  readonly problems: readonly ConfigurationProblem[];
}

const readSources = (sources: readonly PolicySource[], dialect: PolicyDialect, ids: PolicyIds): ReadSources => {
  const labels = sourceLabels(sources.map(({ name }) => name));
  const placed: PlacedPolicy[] = [];
  const empty: PolicySource[] = [];
  const problems: ConfigurationProblem[] = [];
  for (const [index, source] of sources.entries()) {
    const text = new PolicyText(source);
    const parsed = parsePolicies(source.text, dialect);
    if (!parsed.ok) {
      for (const problem of parsed.error)
        problems.push(text.problemAt(problem.span, { severity: 'error', ...problem }));
      continue;
    }
    if (parsed.value.length === 0) empty.push(source);
    for (const [position, policy] of parsed.value.entries()) {
      const named = ids.name(policy, text, `${labels[index] as string}policy${position}`);
      placed.push(named.placed);
      if (named.problem !== null) problems.push(named.problem);
    }
  }
  return { placed, empty, problems };
};

const tooMany = (limit: number): ConfigurationProblem =>
  unplacedProblem('error', `there are more than ${limit} policies`);

const isTemplate = ({ slots }: Policy): boolean => slots.length > 0;

const loaded = (
  { placed, empty }: ReadSources,
  linked: readonly PlacedPolicy[],
  links: readonly PolicyLink[],
  dialect: PolicyDialect,
): LoadedPolicies => {
  const written = placed.map(({ policy }) => policy);
  const templates = written.filter(isTemplate);
  const policies = [...written.filter((policy) => !isTemplate(policy)), ...linked.map(({ policy }) => policy)];
  const byId = new Map([...placed, ...linked].map((one) => [one.policy.id, one]));
  const linksById = new Map(links.map((link) => [link.id, link]));
  const inUse = new Set(links.map(({ template }) => template));
  return {
    policies,
    templates,
    unlinkedTemplates: templates.filter(({ id }) => !inUse.has(id)),
    emptySources: empty,
    compiled: compilePolicies(policies, dialect),
    sourceOf: (policyId) => {
      const found = byId.get(policyId);
      return found?.text.originOf(found.policy.span);
    },
    linkOf: (policyId) => linksById.get(policyId),
    problemAt: (policyId, span, remark) =>
      byId.get(policyId)?.text.problemAt(span, remark) ?? { ...remark, position: null, line: null },
  };
};

/**
 * Parses policies, assigns ids, links templates and compiles the result. The id is the `@id` annotation (not empty, at
 * most 128 characters, unique over all sources), otherwise `policy<n>`, counted from 0 per source, with the source name
 * as prefix (`admin.cedar/policy0`) if there are several sources. The error lists all problems.
 */
export const loadPolicies = (
  sources: readonly PolicySource[],
  links: readonly PolicyLink[],
  dialect: PolicyDialect,
  limits: LoadLimits,
): Result<LoadedPolicies, readonly ConfigurationProblem[]> => {
  const ids = new PolicyIds();
  const read = readSources(sources, dialect, ids);
  const { placed, problems } = read;
  // Do not link now: a missing template may be in a text that failed to parse.
  if (problems.length > 0) return err(boundedProblems(problems));
  if (placed.length + links.length > limits.policies) return err([tooMany(limits.policies)]);
  const linked = linkPolicies(links, placed, ids);
  if (linked.problems.length > 0) return err(boundedProblems(linked.problems));
  return ok(loaded(read, linked.policies, links, dialect));
};
