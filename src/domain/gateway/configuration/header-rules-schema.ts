import { looksSecret } from '../../configuration/hidden-text.js';
import { custom } from '../../configuration/schema/block-keys.js';
import { foreignReference } from '../../configuration/schema/foreign-reference.js';
import { refuseMembers } from '../../configuration/schema/read-block.js';
import { list, withDefault } from '../../configuration/schema/scalar-keys.js';
import { boolean, checkedText, type ScalarFault, secret, text } from '../../configuration/schema/scalar-kind.js';
import type { Field, Fields, Key, Located, ReadContext } from '../../configuration/schema/schema.js';
import { switchedBlock } from '../../configuration/schema/switched-block.js';
import { isNullSetting, members, type Setting, type SettingScalar } from '../../configuration/setting/setting.js';
import { canonicalName } from '../../http/canonical-name.js';
import { isToken } from '../../http/field-syntax.js';
import { utf8ByteString } from '../../shared/byte-string.js';
import { err, ok, type Result } from '../../shared/result.js';
import {
  type HeaderRules,
  maxHeaderRules,
  maxRuleNameLength,
  maxRulePlaceholders,
  maxRuleValueOctets,
} from '../route-transforms/header-rules.js';
import { nginxVariable } from '../route-transforms/nginx-variable.js';
import { type PlaceholderTemplate, parseTemplate, placeholderNames } from '../route-transforms/placeholder-template.js';
import { ruleNameFault } from '../route-transforms/rule-header-names.js';

const listedPlaceholders = placeholderNames.map((name) => `{${name}}`).join(' ');

const nameFault = (name: string): ScalarFault | null => {
  const shown = name.slice(0, 80);
  if (!isToken(name)) return { message: `must contain header names, not "${shown}"` };
  if (name.length > maxRuleNameLength) {
    return { message: `has a header name of ${name.length} characters: at most ${maxRuleNameLength}` };
  }
  const fault = ruleNameFault(name);
  return fault && { message: `cannot change ${shown}, which ${fault.reason}`, suggestion: fault.suggestion };
};

const controlCharacter = /[\u0000-\u001f\u007f]/;

/** Reads a text. Errors do not show the value of a header that usually carries a secret. */
const readText = (name: string, scalar: SettingScalar): Result<string, ScalarFault> => {
  if (!looksSecret(name)) return text.read(scalar);
  const read = secret.read(scalar);
  return read.ok ? ok(read.value.reveal()) : read;
};

/** Whether a text came from a variable or a file. */
const isReferred = ({ hidden, reference }: SettingScalar): boolean => hidden || reference !== undefined;

/** Parses a value. The error shows nothing of it but the name of an unknown placeholder. */
const readTemplate = (
  written: string,
  scalar: SettingScalar,
  isSecret: boolean,
): Result<PlaceholderTemplate, ScalarFault> => {
  if (controlCharacter.test(written)) {
    return err({ message: 'has a control character or a line break', suggestion: 'write the value in one line' });
  }
  const octets = utf8ByteString(written);
  if (octets.length > maxRuleValueOctets) {
    return err({ message: `has a value of ${octets.length} bytes: at most ${maxRuleValueOctets}` });
  }
  // The text of a variable or file is a secret, in which a brace has no meaning.
  if (isReferred(scalar)) return ok({ parts: [octets] });
  const template = parseTemplate(octets);
  if (!template.ok) {
    return err({
      message: isSecret ? 'has an unknown placeholder' : `is wrong: ${template.error}`,
      suggestion: `placeholders are ${listedPlaceholders}; write {{ for a brace`,
    });
  }
  const count = template.value.parts.filter((part) => typeof part !== 'string').length;
  return count <= maxRulePlaceholders
    ? template
    : err({ message: `has ${count} placeholders: at most ${maxRulePlaceholders}` });
};

/** What to write in place of a variable in another notation; null: the text has none. */
const variableHint = (value: string): string | null => {
  const nginx = nginxVariable(value);
  if (nginx !== null) return `write ${nginx.placeholder} for ${nginx.name}`;
  const reference = foreignReference(value);
  return reference && `write ${reference.instead}, and set the variable to the whole value`;
};

/** A header with its value, as written. */
export interface WrittenHeader {
  readonly name: Located<string>;
  readonly value: PlaceholderTemplate;
  /** It came from a variable or a file. */
  readonly isSecret: boolean;
}

class HeaderReading {
  readonly headers: WrittenHeader[] = [];
  sound = true;
  readonly #operation: 'set' | 'add';
  readonly #context: ReadContext;

  constructor(operation: 'set' | 'add', context: ReadContext) {
    this.#operation = operation;
    this.#context = context;
  }

  refuse({ message, suggestion = null }: ScalarFault, position: Setting['position']): void {
    this.sound = false;
    this.#context.report.add(message, {
      position,
      path: [...this.#context.path, this.#operation],
      suggestion,
      secret: true,
    });
  }

  /** Reads one header of the block. `#null` has no value: it only keeps a default away. */
  read(setting: Setting): void {
    const { name, position, args, listed } = setting;
    const fault = nameFault(name);
    if (fault !== null) {
      this.refuse({ ...fault, message: `"${this.#operation}" ${fault.message}` }, position);
      return;
    }
    if (isNullSetting(setting)) return;
    if (refuseMembers(setting, this.#context, true)) {
      this.sound = false;
      return;
    }
    const shown = `"${this.#operation}" of ${name}`;
    if (args.length === 0 || (this.#operation === 'set' && (args.length > 1 || listed))) {
      const count = this.#operation === 'set' ? 'exactly one value' : 'at least one value';
      this.refuse(
        { message: `${shown} takes ${count}`, suggestion: `write ${this.#operation} { "${name}" "value" }` },
        position,
      );
      return;
    }
    for (const scalar of args) this.#readValue(name, shown, scalar, position);
  }

  #readValue(name: string, shown: string, scalar: SettingScalar, place: Setting['position']): void {
    const position = scalar.position ?? place;
    if (scalar.unresolved === true) {
      this.sound = false;
      return;
    }
    if (typeof scalar.value === 'string' && /^[ \t]*$/.test(scalar.value)) {
      this.refuse({ message: `${shown} has an empty value`, suggestion: `write remove "${name}"` }, place);
      return;
    }
    const read = readText(name, scalar);
    const template = read.ok ? readTemplate(read.value, scalar, looksSecret(name)) : read;
    if (template.ok) {
      const isSecret = isReferred(scalar);
      this.headers.push({ name: { value: name, position: place }, value: template.value, isSecret });
    } else
      this.refuse({ ...template.error, message: `${shown} ${template.error.message}` }, read.ok ? place : position);
    const suggestion = scalar.hidden || !read.ok ? null : variableHint(read.value);
    if (suggestion === null || !template.ok) return;
    this.#context.report.add(`${shown} contains a variable, but text is literal`, {
      position: place,
      path: [...this.#context.path, this.#operation],
      severity: 'warning',
      secret: true,
      suggestion,
    });
  }
}

/** A block of header names and values. */
const headers = (operation: 'set' | 'add', meaning: string): Key<readonly WrittenHeader[]> =>
  custom(
    operation === 'set' ? 'block of names, each with a value' : 'block of names, each with one or more values',
    'none',
    meaning,
    (_key, settings, context): Field<readonly WrittenHeader[]> => {
      const reading = new HeaderReading(operation, context);
      const seen = new Map<string, Setting>();
      for (const block of settings) {
        if (block.args.length > 0 || block.listed) {
          reading.refuse(
            { message: `"${operation}" takes a block`, suggestion: `write ${operation} { "Name" "value" }` },
            block.position,
          );
        }
        for (const setting of members(block)) {
          const before = seen.get(canonicalName(setting.name));
          if (operation === 'set' && before !== undefined) {
            reading.refuse(
              {
                message: `"set" names ${setting.name.slice(0, 80)} twice`,
                suggestion: 'write add for a second header',
              },
              setting.position,
            );
          } else reading.read(setting);
          seen.set(canonicalName(setting.name), setting);
        }
      }
      const [first] = settings;
      return {
        value: reading.headers,
        given: first !== undefined,
        sound: reading.sound,
        position: first?.position ?? null,
      };
    },
  );

const headerRulesShape = {
  enabled: withDefault(boolean, true, '`#true`', '`#false` turns the rules off, those of `defaults` included.'),
  remove: list(
    checkedText('header name', nameFault),
    'Headers to drop. Names compare without case, and `_` is like `-`.',
  ),
  set: headers('set', 'Headers that replace those of their name. Values may have placeholders.'),
  add: headers('add', 'Headers to send beside those of their name. Values may have placeholders.'),
};

export type WrittenHeaderRules = Fields<typeof headerRulesShape>;

const ruleCount = ({ remove, set, add }: WrittenHeaderRules): number =>
  remove.value.length + set.value.length + add.value.length;

/** A block of header rules. They run in the order of its keys. */
const headerRules = (meaning: string): Key<WrittenHeaderRules | null> => {
  const key = switchedBlock(headerRulesShape, null, { standard: 'none', meaning });
  return {
    ...key,
    read: (name, settings, context) => {
      const field = key.read(name, settings, context);
      const count = field.value === null ? 0 : ruleCount(field.value);
      if (count <= maxHeaderRules) return field;
      context.report.add(`"${name}" has ${count} rules, with those of defaults: at most ${maxHeaderRules}`, {
        position: field.position,
        path: context.path,
      });
      return { ...field, sound: false };
    },
  };
};

export const requestHeaderRules = headerRules(
  `Header rules for the forwarded request: \`remove\`, then \`set\`, then \`add\`. At most ${maxHeaderRules}, each value at most ${maxRuleValueOctets} bytes.`,
);

export const responseHeaderRules = headerRules(
  `Header rules for every response of the route, errors of the gateway included. At most ${maxHeaderRules}, each value at most ${maxRuleValueOctets} bytes.`,
);

/** Converts header rules that have no errors; null: there are none. */
export const toHeaderRules = (written: WrittenHeaderRules | null): HeaderRules | null => {
  if (written === null || !written.enabled.value || ruleCount(written) === 0) return null;
  const converted = (all: readonly WrittenHeader[]) =>
    all.map(({ name, value, isSecret }) => ({ name: name.value, value, ...(isSecret ? { isSecret } : {}) }));
  return {
    remove: written.remove.value.map(({ value }) => value),
    set: converted(written.set.value),
    add: converted(written.add.value),
  };
};

/** Every header name that rules change, with its position. */
export const ruledNames = (written: WrittenHeaderRules | null): readonly Located<string>[] =>
  written === null
    ? []
    : [
        ...written.remove.value,
        ...written.set.value.map(({ name }) => name),
        ...written.add.value.map(({ name }) => name),
      ];
