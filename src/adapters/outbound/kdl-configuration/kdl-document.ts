import { type Document, format, getLocation, InvalidKdlError, type Node, parse } from '@bgotink/kdl';
import { parse as parseVersion1 } from '@bgotink/kdl/v1-compat';
import { parse as parseValues, type Node as ValueNode } from 'kdljs';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { faultsOf, type KdlFault, plainFault } from './kdl-fault.js';
import { entryOffset } from './source-text.js';

/** The results of two parsers: one provides positions, the other values. */
export interface KdlDocument {
  readonly version: 1 | 2;
  readonly places: Document;
  readonly values: readonly ValueNode[];
}

/** `/- kdl-version N` on the first non-empty line (KDL 2.0.0, section 3.1). */
const declaration = /^\s*\/-[ \t]*kdl-version[ \t]+(\d{1,9})[ \t]*(?:[\r\n]|$)/;

/** The offset of a lone surrogate; null: none. KDL 1 allows its escape, but UTF-8 cannot encode it. */
const halfCharacter = (nodes: readonly Node[]): number | null => {
  for (const node of nodes) {
    for (const entry of node.entries) {
      const value = entry.getValue();
      const isHalf = [entry.getName(), entry.getTag(), value].some(
        (text) => typeof text === 'string' && /\p{Cs}/u.test(text),
      );
      if (isHalf) return entryOffset(entry);
    }
    if (/\p{Cs}/u.test(node.getName())) return getLocation(node)?.start.offset ?? 0;
    const inside = node.children === null ? null : halfCharacter(node.children.nodes);
    if (inside !== null) return inside;
  }
  return null;
};

const parseAs = (text: string, version: 1 | 2): Result<Document, readonly KdlFault[]> => {
  try {
    const places =
      version === 2 ? parse(text, { storeLocations: true }) : parseVersion1(text, { storeLocations: true });
    const half = version === 1 ? halfCharacter(places.nodes) : null;
    return half === null ? ok(places) : err([plainFault(half, 'half of a surrogate pair is not a character', null)]);
  } catch (error) {
    if (error instanceof InvalidKdlError) return err(faultsOf(error, text, version));
    return err([plainFault(0, 'the structure is too deep or too long', null)]);
  }
};

interface Places {
  readonly version: 1 | 2;
  readonly places: Document;
  /** The faults of the text as KDL 2; empty if it is KDL 2 or declared as KDL 1. */
  readonly asVersion2: readonly KdlFault[];
}

/** The message of the first parser for a setting without a line end or `;`. */
const missingTerminator = 'Missing node terminator';

/**
 * Parses a text as its declared version, or as the version that fits. If neither fits, the errors are those of the
 * version that parses further.
 */
const parsePlaces = (text: string): Result<Places, readonly KdlFault[]> => {
  const declared = declaration.exec(text)?.[1];
  if (declared !== undefined && declared !== '1' && declared !== '2') {
    const offset = text.indexOf('kdl-version');
    return err([plainFault(offset, `KDL ${declared} is not supported`, 'use KDL 1 or 2')]);
  }
  const versions: readonly (1 | 2)[] = declared === undefined ? [2, 1] : [declared === '1' ? 1 : 2];
  let best: readonly KdlFault[] = [];
  for (const version of versions) {
    const read = parseAs(text, version);
    if (read.ok) return ok({ version, places: read.value, asVersion2: best });
    const [first] = read.error;
    // Only KDL 2 allows `}` directly after the last setting of a block.
    const isVersion2 = version === 1 && best.length > 0 && first?.message === missingTerminator;
    if (!isVersion2 && (first?.offset ?? 0) > (best[0]?.offset ?? -1)) best = read.error;
  }
  return err(best);
};

/**
 * Runs a backtracking parser without stack traces. It throws an error for each failed alternative, and collecting
 * unused traces takes half of the time.
 */
const withoutStacks = <Value>(task: () => Value): Value => {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return task();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
};

/** Parses a text that has passed the structure scan. Faults are syntax errors. */
export const readKdl = (text: string): Result<KdlDocument, readonly KdlFault[]> => {
  const read = parsePlaces(text);
  if (!read.ok) return read;
  const { version, places, asVersion2 } = read.value;
  try {
    const { output, errors } = withoutStacks(() => parseValues(version === 2 ? text : format(places)));
    if (output !== undefined && errors.length === 0) return ok({ version, places, values: output });
    // The text is KDL 2 with errors, such as "\\.", that the first parser accepts in KDL 1.
    if (asVersion2.length > 0) return err(asVersion2);
    const { token } = errors[0] ?? {};
    // Offsets in text converted from KDL 1 do not apply to the file.
    const offset = version === 2 && token !== undefined && Number.isFinite(token.startOffset) ? token.startOffset : 0;
    return err([plainFault(offset, 'the two readers of KDL disagree about this text', 'write it in a simpler form')]);
  } catch {
    return err([plainFault(0, 'the structure is too deep or too long', null)]);
  }
};
