import { expect } from 'vitest';
import type {
  AuthorizationRequest,
  Entities,
} from '../../../src/domain/agent/policy/evaluate/authorization-request.js';
import { compileExpression } from '../../../src/domain/agent/policy/evaluate/compile-expression.js';
import { type EntityDeclaration, entityStore } from '../../../src/domain/agent/policy/evaluate/entity-store.js';
import { isError, type Outcome } from '../../../src/domain/agent/policy/evaluate/evaluation-error.js';
import { parseExpressionText } from '../../../src/domain/agent/policy/parse/parse-entity-uid.js';
import type { PolicyDialect } from '../../../src/domain/agent/policy/syntax-tree.js';
import { entityUid } from '../../../src/domain/agent/policy/values/entity-uid.js';
import { recordOf } from '../../../src/domain/agent/policy/values/record-value.js';
import { setOf } from '../../../src/domain/agent/policy/values/set-value.js';
import type { Value } from '../../../src/domain/agent/policy/values/value.js';
import { valueKey } from '../../../src/domain/agent/policy/values/value-key.js';
import { liftLiterals } from './lifted-literals.js';

export const storeOf = (...declarations: readonly Partial<EntityDeclaration>[]): Entities => {
  const store = entityStore(
    declarations.map((declaration) => ({
      uid: entityUid('User', 'someone'),
      attributes: new Map(),
      tags: new Map(),
      parents: [],
      ...declaration,
    })),
  );
  if (!store.ok) throw new Error(store.error);
  return store.value;
};

export const alice = entityUid('User', 'alice');
export const readers = entityUid('Role', 'readers');
export const staff = entityUid('Role', 'staff');

/** alice is a reader, readers are staff; nothing is known of User::"nobody". */
export const exampleRequest: AuthorizationRequest = {
  principal: alice,
  action: entityUid('Action', 'GET'),
  resource: entityUid('Resource', '/docs'),
  context: recordOf([
    ['method', 'GET'],
    ['roles', setOf(['reader', 'writer'])],
    ['address', recordOf([['city', 'Ulm']])],
    ['friend', entityUid('User', 'nobody')],
  ]),
  entities: storeOf(
    {
      uid: alice,
      attributes: new Map<string, Value>([
        ['age', 40],
        ['name', 'Alice'],
        ['address', recordOf([['city', 'Ulm']])],
        ['self', alice],
      ]),
      tags: new Map<string, Value>([['team', 'blue']]),
      parents: [readers],
    },
    { uid: readers, parents: [staff] },
    { uid: staff },
    { uid: entityUid('Resource', '/docs'), attributes: new Map([['path', '/docs']]) },
  ),
};

const comparable = (outcome: Outcome): unknown =>
  isError(outcome) ? [outcome.code, outcome.message, outcome.span] : valueKey(outcome);

/** Evaluates as it is written, and with nothing constant in it: both have to come to the same. */
const evaluate = (text: string, dialect: PolicyDialect, request: AuthorizationRequest): Outcome => {
  const parsed = parseExpressionText(text, dialect);
  if (!parsed.ok) throw new Error(`${text}: ${parsed.error[0]?.message}`);
  const outcome = compileExpression(parsed.value, dialect)(request);
  const { lifted, literals } = liftLiterals(parsed.value);
  const context = recordOf([...request.context.attributes, ['literals', { kind: 'record', attributes: literals }]]);
  const unfolded = compileExpression(lifted, dialect)({ ...request, context });
  expect(comparable(unfolded), `${text}, with its literals read from the context`).toEqual(comparable(outcome));
  return outcome;
};

/** What the expression comes to. */
export const resultOf = (text: string, dialect: PolicyDialect = 'cedar', request = exampleRequest): Value => {
  const outcome = evaluate(text, dialect, request);
  if (isError(outcome)) throw new Error(`${text}: ${outcome.message}`);
  return outcome;
};

/** The code of the error and the piece of the text that it is about: `overflow: 1 + 2`. */
export const failureOf = (text: string, dialect: PolicyDialect = 'cedar', request = exampleRequest): string => {
  const outcome = evaluate(text, dialect, request);
  if (!isError(outcome)) throw new Error(`${text} has a value`);
  return `${outcome.code}: ${outcome.span === null ? '?' : text.slice(outcome.span.start, outcome.span.end)}`;
};
