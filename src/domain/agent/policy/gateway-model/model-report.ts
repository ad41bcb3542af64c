import { nearestWord } from '../../../configuration/schema/did-you-mean.js';
import type { SourceSpan } from '../source-lines.js';
import type { PolicyEffect } from '../syntax-tree.js';
import { formatEntityUid } from '../values/entity-uid.js';
import type { EntityUid } from '../values/value.js';
import type { ModelFinding } from './model-finding.js';
import {
  ancestorTypes,
  entityAttributes,
  isModelEntityType,
  type ModelEntityType,
  type ModelType,
  modelEntityTypes,
  unknownType,
  variableTypes,
} from './model-types.js';
import { isMethod, nearestMethod } from './possible/possible-name.js';
import { pathMistake } from './possible/possible-path.js';
import { listed, ownerText } from './type-words.js';

/** The variable that has an attribute of this name; undefined if none has. */
const elsewhere = (name: string): string | undefined =>
  (['principal', 'resource', 'context'] as const).find((variable) => attributesOf(variableTypes[variable])?.has(name));

/** Null if the attributes are unknown. */
const attributesOf = (type: ModelType): ReadonlyMap<string, ModelType> | null => {
  if (type.kind === 'record') return type.attributes;
  if (type.kind === 'plain' || type.kind === 'set') return new Map();
  if (type.kind === 'unknown') return null;
  return new Map(type.types.flatMap((entityType) => [...entityAttributes[entityType]]));
};

const attributeSuggestion = (type: ModelType, name: string, known: readonly string[]): string => {
  const near = nearestWord(name, known);
  if (near !== null) return `did you mean "${near}"?`;
  const other = elsewhere(name);
  if (other !== undefined && type.kind !== 'plain' && type.kind !== 'set') return `did you mean ${other}.${name}?`;
  if (known.includes('claims')) return `it has ${listed(known, 'and')}; the claims of a token are in its claims`;
  return known.length === 0 ? 'it has no attributes' : `it has ${listed(known, 'and')}`;
};

/** Collects the findings of one policy. */
export class ModelReport {
  readonly findings: ModelFinding[] = [];
  readonly #policyId: string;
  readonly #effect: PolicyEffect;

  constructor(policyId: string, effect: PolicyEffect) {
    this.#policyId = policyId;
    this.#effect = effect;
  }

  add(span: SourceSpan, message: string, suggestion: string): void {
    this.findings.push({ policyId: this.#policyId, message, span, suggestion });
  }

  /** Adds a finding for an expression that always fails. In a forbid the message adds the effect of `on-error`. */
  fails(span: SourceSpan, message: string, suggestion: string): void {
    const more = '; where on-error is "deny", this forbid denies every request that reaches this expression';
    this.add(span, this.#effect === 'forbid' ? `${message}${more}` : message, suggestion);
  }

  /** Resolves an entity type name; null, and a finding, if it is unknown. */
  entityType(name: string, span: SourceSpan): ModelEntityType | null {
    if (isModelEntityType(name)) return name;
    const near = nearestWord(name.slice(name.lastIndexOf(':') + 1), modelEntityTypes);
    const suggestion =
      near === null ? `the entity types are ${listed(modelEntityTypes, 'and')}` : `did you mean "${near}"?`;
    this.add(span, `there are no entities of type ${name}`, suggestion);
    return null;
  }

  /** Checks an entity literal and returns its type. */
  entity(uid: EntityUid, span: SourceSpan): ModelEntityType | null {
    const type = this.entityType(uid.type, span);
    if (type === 'Action') this.#action(uid.id, span);
    else if (type === 'Resource') this.#resource(uid.id, span);
    else if (type === 'Anonymous' && uid.id !== 'anonymous') {
      this.add(span, 'type Anonymous has only one entity', 'did you mean Anonymous::"anonymous"?');
    }
    return type;
  }

  /** The type of an attribute; `unknownType`, and a finding, if it cannot exist. */
  attribute(type: ModelType, name: string, span: SourceSpan): ModelType {
    const attributes = attributesOf(type);
    const found = attributes?.get(name);
    if (attributes === null || found !== undefined) return found ?? unknownType;
    const suggestion = attributeSuggestion(type, name, [...attributes.keys()]);
    this.add(span, `${ownerText(type)} has no attribute ${JSON.stringify(name)}`, suggestion);
    return unknownType;
  }

  /** Checks `subject == an entity of type target`, or `is`. */
  same(subject: readonly ModelEntityType[], target: ModelEntityType, span: SourceSpan): void {
    if (subject.includes(target)) return;
    const above = subject.some((type) => ancestorTypes[type].includes(target));
    const suggestion = above ? `use "in" instead: it can be in ${target}` : `it is ${listed(subject, 'or')}`;
    this.add(span, `an entity of type ${listed(subject, 'or')} is never of type ${target}`, suggestion);
  }

  /** Checks `subject in an entity of type target`. */
  within(subject: readonly ModelEntityType[], target: ModelEntityType, span: SourceSpan): void {
    const possible = [...new Set(subject.flatMap((type) => ancestorTypes[type]))];
    if (possible.includes(target)) return;
    const message = `an entity of type ${listed(subject, 'or')} is never in one of type ${target}`;
    this.add(span, message, `it can be in ${listed(possible, 'or')}`);
  }

  #action(method: string, span: SourceSpan): void {
    if (isMethod(method)) return;
    const near = nearestMethod(method);
    const suggestion =
      near === null ? 'actions are HTTP methods, such as Action::"GET"' : `did you mean Action::"${near}"?`;
    this.add(span, `there is no action ${formatEntityUid({ kind: 'entity', type: 'Action', id: method })}`, suggestion);
  }

  #resource(path: string, span: SourceSpan): void {
    const mistake = pathMistake(path);
    if (mistake === null) return;
    const { message, nearest, pattern } = mistake;
    let suggestion = 'write it as a client sends it, such as Resource::"/reports/2024"';
    if (pattern !== null) suggestion = `did you mean resource.path like ${pattern}?`;
    else if (nearest !== null) suggestion = `did you mean Resource::"${nearest}"?`;
    this.add(span, `a resource is ${message}`, suggestion);
  }
}
