import type { AccessRecord } from '../../../application/ports/access-log.js';
import { ownText } from '../../../domain/shared/own-text.js';
import type { JsonTexts } from './json-texts.js';

/** What requests to one target have in common, as members of a line. */
interface Place {
  readonly protocol: string;
  readonly host: string | null;
  readonly route: string | null;
  readonly upstream: string | null;
  readonly members: string;
}

const maximumPlaces = 1_024;
/** Characters of what is remembered of one. */
const longestMembers = 1_024;

/** The members of a line that tell where a request went: nearly always the same as of the one before to its target. */
export class LinePlaces {
  readonly #texts: JsonTexts;
  /** The last of each target. */
  readonly #last = new Map<string | null, Place>();

  constructor(texts: JsonTexts) {
    this.#texts = texts;
  }

  /** From the protocol to the target, each with a comma in front. */
  members({ protocol, host, route, upstream, target }: AccessRecord): string {
    const last = this.#last.get(target);
    if (
      last !== undefined &&
      last.host === host &&
      last.route === route &&
      last.upstream === upstream &&
      last.protocol === protocol
    ) {
      return last.members;
    }
    const texts = this.#texts;
    const members = ownText(
      `,"protocol":${texts.of(protocol)},"host":${texts.of(host)},"route":${texts.of(route)},` +
        `"upstream":${texts.of(upstream)},"target":${texts.of(target)}`,
    );
    if (members.length <= longestMembers) {
      if (last === undefined && this.#last.size >= maximumPlaces) this.#last.clear();
      this.#last.set(target, {
        protocol,
        host: host === null ? null : ownText(host),
        route,
        upstream,
        members,
      });
    }
    return members;
  }
}
