/** CWE numbers that name the same fault for scoring, fusion and deduplication (design of gadriel, section 0). */

const families: readonly (readonly number[])[] = [
  [77, 78, 88, 426], [94, 95, 96, 913], [89, 564, 943], [79, 80, 87, 116], [22, 23, 36, 73, 98], [918], [502], [326, 327, 328, 329, 780, 916],
  [330, 331, 338], [295, 296, 297, 599], [319, 523], [611, 776, 827], [259, 321, 522, 798], [377, 379], [276, 732], [605], [400, 1088], [601], [117], [532],
  [1336], [489], [614, 1004, 1275], [352], [345, 347], [1333], [90], [91, 643], [93, 113], [915], [1427], [494, 829, 1104], [434], [521], [346, 942],
  [862, 863, 639], [287, 306],
];

const firstByNumber: ReadonlyMap<number, number> = new Map(families.flatMap((family) => family.map((number) => [number, family[0] ?? number] as const)));

/**
 * Stable name of a CWE's family: the id of its first member, so that `CWE-564` and `CWE-89` both give `CWE-89`. A
 * well-formed id that is in no family, and any other text, is a family of its own.
 */
export const cweFamilyOf = (cwe: string): string => {
  const number = /^CWE-([1-9]\d{0,5})$/.exec(cwe)?.[1];
  return number === undefined ? cwe : `CWE-${firstByNumber.get(Number(number)) ?? number}`;
};

/** Whether an id is in the table; others may exist but nothing is known of them. */
export const isKnownCwe = (cwe: string): boolean => {
  const number = /^CWE-([1-9]\d{0,5})$/.exec(cwe)?.[1];
  return number !== undefined && (firstByNumber.has(Number(number)) || otherNumbers.has(Number(number)));
};

/** Numbers that the rule catalogue uses outside the families. */
const otherNumbers: ReadonlySet<number> = new Set([200, 250, 770]);
