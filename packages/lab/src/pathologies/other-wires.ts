import { listedRow, type Pathology, type PathologyWire } from './pathology.ts';


/** F1 to F14: rows of wires that the lab does not serve. They are listed so that the table is whole. */
export const otherWires: readonly Pathology[] = [
];
