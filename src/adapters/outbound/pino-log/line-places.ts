import type { AccessRecord } from '../../../application/ports/gateway/access-log.js';
import { ownText } from '../../../domain/shared/own-text.js';
import { JsonTexts } from './json-texts.js';

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
  readonly #texts = new JsonTexts();
  readonly #before: string;
  readonly #behind: string;
  /** The last of each target. */
  readonly #last = new Map<string | null, Place>();

  /** @param before what stands before them in a line; `behind` after them */
  constructor(before: string, behind: string) {
    this.#before = before;
    this.#behind = behind;
  }

  /** From the protocol to the target, each with a comma in front, and what stands around them. */
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
      `${this.#before},"protocol":${texts.of(protocol)},"host":${texts.of(host)},"route":${texts.of(route)},` +
        `"upstream":${texts.of(upstream)},"target":${texts.of(target)}${this.#behind}`,
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
