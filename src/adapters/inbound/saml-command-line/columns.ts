/** A column is no wider, whatever stands in it. */
const widest = 48;

/** Rows of cells, each column as wide as the widest of its cells; the last one is not filled up. */
export const inColumns = (rows: readonly (readonly string[])[]): string => {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, Math.min([...cell].length, widest));
    }
  }
  const filled = (cell: string, column: number): string =>
    cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - [...cell].length));
  return rows.map((row) => `${row.map(filled).join('  ').trimEnd()}\n`).join('');
};
