import type { NameId } from '../assertion.js';

/** What stores write for a session without a NameID: no NameID has an empty value. */
export const noNameId: NameId = { value: '', format: null, nameQualifier: null, spNameQualifier: null };

/** The NameID that a store has read; null where it has written that there is none. */
export const storedNameId = (nameId: NameId): NameId | null => (nameId.value === '' ? null : nameId);
