import { custom } from '../../configuration/schema/block-keys.js';
import { headerName } from '../../configuration/schema/network-kinds.js';
import { inside, refuseArguments, refuseMembers, refuseRepetition } from '../../configuration/schema/read-block.js';
import type { ScalarKind } from '../../configuration/schema/scalar-kind.js';
import type { Key, ReadContext } from '../../configuration/schema/schema.js';
import { members, type Setting } from '../../configuration/setting/setting.js';
import { err } from '../../shared/result.js';
import { isWellFormed } from '../../shared/utf8.js';
import type { MappedAttribute } from './saml-options.js';

const attributeName = (name: string): boolean => name !== '' && name.length <= 256 && isWellFormed(name);

/** Must be literal: a name from a variable could not be shown in a message about a conflict. */
const shownHeader: ScalarKind<string> = {
  ...headerName,
  read: (scalar) =>
    scalar.hidden ? err({ message: 'must be written literally, because messages show it' }) : headerName.read(scalar),
};

const readMapped = (setting: Setting, context: ReadContext): MappedAttribute | null => {
  const refuse = (message: string): null => {
    context.report.add(message, { position: setting.position, path: context.path });
    return null;
  };
  if (!attributeName(setting.name)) return refuse('the name of an attribute must have 1 to 256 characters');
  if (refuseMembers(setting, context, false)) return null;
  const [header, ...others] = setting.args;
  if (header === undefined || others.length > 0) return refuse(`"${setting.name}" needs one header name`);
  if (header.unresolved === true) return null;
  const read = shownHeader.read(header);
  return read.ok ? { attribute: setting.name, header: read.value } : refuse(`"${setting.name}" ${read.error.message}`);
};

/** A block whose members are names of a user's properties, each with a header. */
const mapping = (type: string, meaning: string): Key<readonly MappedAttribute[]> =>
  custom(type, 'none', meaning, (_name, settings, context) => {
    const value: MappedAttribute[] = [];
    let sound = true;
    for (const setting of settings) {
      // Null means none.
      if (setting.args.length === 1 && setting.args[0]?.value === null) continue;
      refuseArguments(setting, context);
      const byName = new Map<string, Setting>();
      const where = inside(context, setting);
      for (const member of members(setting)) {
        const before = byName.get(member.name);
        if (before !== undefined) refuseRepetition([before, member], where, false);
        byName.set(member.name, member);
        const mapped = readMapped(member, where);
        if (mapped === null || before !== undefined) sound = false;
        else value.push(mapped);
      }
    }
    refuseRepetition(settings, context, false);
    return { value, given: settings.length > 0, sound, position: settings[0]?.position ?? null };
  });

/** `attribute-mapping { mail "X-User-Email" }`: every member is an attribute name. */
export const attributeMapping = mapping(
  'block of `attribute "header"`',
  'Attributes of the identity provider and the headers that receive them. Several values are joined with `,`.',
);

/** `claim-mapping { email "X-User-Email" }`: every member is the name of a claim, or a dotted path to one. */
export const claimMapping = mapping(
  'block of `claim "header"`',
  'Claims of the user and the headers that receive them, in addition to `X-Auth-Claim-*`. Dots lead into objects. Several values are joined with `,`.',
);
