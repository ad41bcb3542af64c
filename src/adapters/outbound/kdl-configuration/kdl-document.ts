import { type Document, format, getLocation, InvalidKdlError, type Node, parse } from '@bgotink/kdl';
import { parse as parseVersion1 } from '@bgotink/kdl/v1-compat';
import { parse as parseValues, type Node as ValueNode } from 'kdljs';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { faultsOf, type KdlFault, plainFault } from './kdl-fault.js';
import { entryOffset } from './source-text.js';

/** A text as both readers see it: the one knows the places, the other the values. */
export interface KdlDocument {
  readonly version: 1 | 2;
  readonly places: Document;
  readonly values: readonly ValueNode[];
}

/** `/- kdl-version N` in the first line that is not empty (KDL 2.0.0, section 3.1). */
const declaration = /^\s*\/-[ \t]*kdl-version[ \t]+(\d{1,9})[ \t]*(?:[\r\n]|$)/;

/** Where a text holds half a character: KDL 1 can escape one, and no text in UTF-8 can. */
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
    return half === null ? ok(places) : err([plainFault(half, 'half of a surrogate pair is no character', null)]);
  } catch (error) {
    if (error instanceof InvalidKdlError) return err(faultsOf(error, text, version));
    return err([plainFault(0, 'the structure is too deep or too long', null)]);
  }
};

interface Places {
  readonly version: 1 | 2;
  readonly places: Document;
}

/**
 * Reads a text as the version that it declares, or that it fits; where it fits neither, as the one
 * it fits longer.
 */
const parsePlaces = (text: string): Result<Places, readonly KdlFault[]> => {
  const declared = declaration.exec(text)?.[1];
  if (declared !== undefined && declared !== '1' && declared !== '2') {
    const offset = text.indexOf('kdl-version');
    return err([plainFault(offset, `there is no reader for KDL ${declared}`, 'KDL 1 and 2 are read')]);
  }
  const versions: readonly (1 | 2)[] = declared === undefined ? [2, 1] : [declared === '1' ? 1 : 2];
  let best: readonly KdlFault[] = [];
  for (const version of versions) {
    const read = parseAs(text, version);
    if (read.ok) return ok({ version, places: read.value });
    if ((read.error[0]?.offset ?? 0) > (best[0]?.offset ?? -1)) best = read.error;
  }
  return err(best);
};

/**
 * Runs what tries one thing after the other and throws an error for each that it is not. Nobody
 * sees where those were thrown, and finding that out takes as long as all the rest.
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

/** Reads a text that has passed the structure scan. Faults are mistakes of its syntax. */
export const readKdl = (text: string): Result<KdlDocument, readonly KdlFault[]> => {
  const read = parsePlaces(text);
  if (!read.ok) return read;
  const { version, places } = read.value;
  try {
    const { output, errors } = withoutStacks(() => parseValues(version === 2 ? text : format(places)));
    if (output !== undefined && errors.length === 0) return ok({ version, places, values: output });
    const { token } = errors[0] ?? {};
    // Offsets in text that was rewritten from KDL 1 mean nothing in the file.
    const offset = version === 2 && token !== undefined && Number.isFinite(token.startOffset) ? token.startOffset : 0;
    return err([plainFault(offset, 'the two readers of KDL disagree about this text', 'write it in a simpler form')]);
  } catch {
    return err([plainFault(0, 'the structure is too deep or too long', null)]);
  }
};
