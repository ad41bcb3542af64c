import { isAuthorized } from '@cedar-policy/cedar-wasm/nodejs';
import { describe, expect, it } from 'vitest';
import { uidFromJson } from '../../../../../../src/domain/agent/policy/json/uid-from-json.js';
import { ok } from '../../../../../../src/domain/shared/result.js';

const typeNames = [
  ...['User', '_', '_a1', 'A::B', 'A::B::C', 'permit', 'principal', 'context', 'Set', 'A::__cedarx', '__expr'],
  ...['', ' ', 'A B', 'A :: B', 'A::', '::A', 'A:B', '1a', 'a$', 'é', 'A\n', '//A'],
  ...['true', 'false', 'if', 'then', 'else', 'in', 'is', 'like', 'has', '__cedar', 'A::if', 'in::A', '__cedar::A'],
];

/** Whether Cedar itself takes a text for the name of an entity type. */
const isNameToCedar = (type: string): boolean => {
  const uid = { type, id: 'a' };
  const call = { principal: uid, action: uid, resource: uid, context: {}, policies: {}, entities: [] };
  return isAuthorized(call).type === 'success';
};

describe('uidFromJson', () => {
  it('reads every form', () => {
    const uid = ok({ kind: 'entity', type: 'Photos::Album', id: '' });
    expect(uidFromJson({ type: 'Photos::Album', id: '' })).toEqual(uid);
    expect(uidFromJson({ __entity: { type: 'Photos::Album', id: '' } })).toEqual(uid);
    expect(uidFromJson(['Photos::Album', ''])).toEqual(uid);
    expect(uidFromJson({ __entity: ['Photos::Album', ''], type: 'Other', id: 'b' })).toEqual(uid);
  });

  it.each(typeNames)('agrees with Cedar on whether %j names a type', (type) => {
    expect(uidFromJson({ type, id: 'a' }).ok).toBe(isNameToCedar(type));
  });
});
