const longest = 64;
const mostCandidates = 300;

/** Edit distance in which a swap of neighbours is one step (optimal string alignment). Texts are short: `longest`. */
const distance = (left: string, right: string): number => {
  let before: number[] = [];
  let above = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const same = left[row - 1] === right[column - 1];
      let best = Math.min(
        (above[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (above[column - 1] ?? 0) + (same ? 0 : 1),
      );
      const swapped =
        row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      if (swapped) best = Math.min(best, (before[column - 2] ?? 0) + 1);
      current.push(best);
    }
    before = above;
    above = current;
  }
  return above[right.length] ?? 0;
};

/** The known word nearest to `word`, or null. A word with no letter in common is not near. Case, and `_` for `-`, make no difference. */
export const nearestWord = (word: string, known: readonly string[]): string | null => {
  if (word.length > longest) return null;
  const plain = word.toLowerCase().replaceAll('_', '-');
  let nearest: string | null = null;
  let least = Math.max(1, Math.floor(plain.length / 3)) + 1;
  for (const candidate of known.slice(0, mostCandidates)) {
    if (candidate.length > longest || Math.abs(candidate.length - plain.length) >= least) continue;
    const steps = distance(plain, candidate.toLowerCase().replaceAll('_', '-'));
    if (steps < least && steps < plain.length) {
      least = steps;
      nearest = candidate;
    }
  }
  return nearest;
};

export const didYouMean = (word: string, known: readonly string[]): string | null => {
  const nearest = nearestWord(word, known);
  return nearest === null ? null : `did you mean "${nearest}"?`;
};
