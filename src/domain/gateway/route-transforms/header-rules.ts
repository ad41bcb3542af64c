import { canonicalName } from '../../http/canonical-name.js';
import { trimSpace } from '../../http/field-syntax.js';
import type { HeaderList } from '../../http/header-list.js';
import {
  hasPlaceholders,
  type PlaceholderTemplate,
  type PlaceholderValues,
  renderTemplate,
} from './placeholder-template.js';

export interface HeaderRuleValue {
  readonly name: string;
  /** Octets, one character each. */
  readonly value: PlaceholderTemplate;
  /** The value came from a variable or a file. */
  readonly isSecret?: boolean;
}

/** The header rules of a route for one direction. They run in this order. */
export interface HeaderRules {
  /** Names of the headers to drop. */
  readonly remove: readonly string[];
  /** Headers that replace all headers of their name. */
  readonly set: readonly HeaderRuleValue[];
  /** Headers that join those of their name. */
  readonly add: readonly HeaderRuleValue[];
}

/** Largest number of rules of a route for one direction, with those of `defaults`. */
export const maxHeaderRules = 64;

/** Largest length of a header name in a rule. */
export const maxRuleNameLength = 256;

/** Largest length of a value in the configuration, in octets. */
export const maxRuleValueOctets = 4_096;

/** Largest number of placeholders in a value. It bounds the header: each placeholder may bring a whole path. */
export const maxRulePlaceholders = 8;

/** The operation of a rule and the name of its header. */
export interface HeaderRuleName {
  readonly operation: keyof HeaderRules;
  readonly name: string;
}

/** The operation and name of every rule. */
export const ruleNames = ({ remove, set, add }: HeaderRules): readonly HeaderRuleName[] => [
  ...remove.map((name) => ({ operation: 'remove' as const, name })),
  ...set.map(({ name }) => ({ operation: 'set' as const, name })),
  ...add.map(({ name }) => ({ operation: 'add' as const, name })),
];

/** A header to append: its value, or the template that makes it. */
interface AppendedHeader {
  readonly name: string;
  readonly constant: string | null;
  readonly template: PlaceholderTemplate;
}

/** Header rules, compiled when the configuration loads. */
export interface CompiledHeaderRules {
  /** The names that `remove` and `set` drop, in canonical form. */
  readonly dropped: ReadonlySet<string>;
  /** The headers of `set`, then those of `add`. */
  readonly appended: readonly AppendedHeader[];
}

const noValues = {} as PlaceholderValues;

const appendedHeader = ({ name, value }: HeaderRuleValue): AppendedHeader => ({
  name,
  constant: hasPlaceholders(value) ? null : trimSpace(renderTemplate(value, noValues)),
  template: value,
});

/**
 * Compiles the rules for which `isInForce` is true.
 *
 * @returns null if none is left
 */
export const compileHeaderRules = (
  { remove, set, add }: HeaderRules,
  isInForce: (rule: HeaderRuleName) => boolean,
): CompiledHeaderRules | null => {
  const removed = remove.filter((name) => isInForce({ operation: 'remove', name }));
  const replaced = set.filter(({ name }) => isInForce({ operation: 'set', name }));
  const added = add.filter(({ name }) => isInForce({ operation: 'add', name }));
  if (removed.length + replaced.length + added.length === 0) return null;
  return {
    dropped: new Set([...removed, ...replaced.map(({ name }) => name)].map(canonicalName)),
    appended: [...replaced, ...added].map(appendedHeader),
  };
};

/**
 * Applies header rules. Names compare in canonical form, because an upstream may read `X_Debug` as X-Debug. Values have
 * no control characters and no spaces around them. A header with an empty value is left out, but `set` still drops the
 * headers that it replaces.
 *
 * @param values the values of placeholders; called only if a rule has one
 */
export const applyHeaderRules = (
  headers: HeaderList,
  { dropped, appended }: CompiledHeaderRules,
  values: () => PlaceholderValues,
): HeaderList => {
  const fields: string[] = [];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] as string;
    if (!dropped.has(canonicalName(name))) fields.push(name, headers[index + 1] as string);
  }
  let known: PlaceholderValues | null = null;
  for (const { name, constant, template } of appended) {
    let value = constant;
    if (value === null) {
      known ??= values();
      value = trimSpace(renderTemplate(template, known));
    }
    if (value !== '') fields.push(name, value);
  }
  return fields;
};
