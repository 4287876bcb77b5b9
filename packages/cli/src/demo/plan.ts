import type { ChatWireId } from '@vouch/contracts';
import { wiresFor } from './wires.ts';

/** How one document of the demo is asked for. */
export interface WireSlot {
  /** The wire; absent: the least used of those on which the pathology can show. */
  readonly wire?: ChatWireId;
  /** Id in the lab's catalogue; absent: the wire is clean. */
  readonly pathology?: string;
  readonly delivery: 'whole' | 'stream';
  /** The channel of the answer: message content, the provider's own grammar, or the arguments of a call. */
  readonly via: 'content' | 'grammar' | 'call';
  /** The registry row whose dialect and strategies the client takes; absent: none in particular. */
  readonly like?: string;
}

/** The documents of `examples/documents`, each with its schema in `examples/schemas`. */
export const demoDocuments: readonly { readonly document: string; readonly schema: string }[] = [
  { document: 'invoice-harbour-timber.txt', schema: 'invoice.mjs' },
  { document: 'email-missing-parcel.txt', schema: 'email.mjs' },
  { document: 'rechnung-schreinerei-vogt.txt', schema: 'rechnung.schema.json' },
  { document: 'incident-payments.txt', schema: 'incident.schema.json' },
  { document: 'order-garden-centre.txt', schema: 'order.mjs' },
  { document: 'menu-bistro.txt', schema: 'menu.schema.json' },
  { document: 'delivery-note-clinic.txt', schema: 'delivery-note.schema.json' },
  { document: 'minutes-allotment.txt', schema: 'minutes.mjs' },
  { document: 'kassenbon-drogerie.txt', schema: 'kassenbon.schema.json' },
  { document: 'invoice-north-light-studio.txt', schema: 'invoice.mjs' },
  { document: 'lieferschein-getraenke.txt', schema: 'lieferschein.schema.json' },
  { document: 'email-refund.txt', schema: 'email.mjs' },
  { document: 'receipt-hardware.txt', schema: 'receipt.schema.json' },
  { document: 'incident-dns.txt', schema: 'incident.schema.json' },
  { document: 'rechnung-fahrradladen.txt', schema: 'rechnung.schema.json' },
  { document: 'order-laboratory-glass.txt', schema: 'order.mjs' },
  { document: 'protokoll-elternbeirat.txt', schema: 'protokoll.schema.json' },
  { document: 'invoice-hosting.txt', schema: 'invoice.mjs' },
  { document: 'speisekarte-mittagstisch.txt', schema: 'speisekarte.schema.json' },
  { document: 'delivery-note-islands.txt', schema: 'delivery-note.schema.json' },
  { document: 'email-address-change.txt', schema: 'email.mjs' },
  { document: 'receipt-cafe.txt', schema: 'receipt.schema.json' },
  { document: 'incident-storage.txt', schema: 'incident.schema.json' },
  { document: 'rechnung-druckerei.txt', schema: 'rechnung.schema.json' },
  { document: 'lieferschein-fliesen.txt', schema: 'lieferschein.schema.json' },
  { document: 'order-bookshop.txt', schema: 'order.mjs' },
  { document: 'invoice-bakery-supplies.txt', schema: 'invoice.mjs' },
  { document: 'email-wrong-colour.txt', schema: 'email.mjs' },
  { document: 'receipt-museum-shop.txt', schema: 'receipt.schema.json' },
  { document: 'incident-mail-queue.txt', schema: 'incident.schema.json' },
  { document: 'order-community-kitchen.txt', schema: 'order.mjs' },
  { document: 'menu-night-ferry.txt', schema: 'menu.schema.json' },
  { document: 'delivery-note-orchard.txt', schema: 'delivery-note.schema.json' },
  { document: 'invoice-bicycle-courier.txt', schema: 'invoice.mjs' },
];

/** What the wire does, one slot a document. A wire is named where a pathology shows on several and one of them is short of rows. */
const wireSlots: readonly WireSlot[] = [
  { pathology: 'C10', delivery: 'whole', via: 'content' },
  { pathology: 'A18', delivery: 'whole', via: 'call' },
  { pathology: 'D6', delivery: 'whole', via: 'content' },
  { pathology: 'B19', delivery: 'stream', via: 'call' },
  { pathology: 'E4', delivery: 'whole', via: 'call' },
  { pathology: 'B27', delivery: 'whole', via: 'call' },
  { pathology: 'A12', delivery: 'whole', via: 'grammar', like: 'groq' },
  { pathology: 'S3', delivery: 'stream', via: 'content' },
  { pathology: 'F1', delivery: 'whole', via: 'call' },
  { pathology: 'C12', delivery: 'whole', via: 'content' },
  { pathology: 'D27', delivery: 'stream', via: 'call' },
  { delivery: 'whole', via: 'content' },
  { pathology: 'C8', delivery: 'whole', via: 'content' },
  { pathology: 'A22', delivery: 'stream', via: 'call' },
  { pathology: 'E7', delivery: 'stream', via: 'call' },
  { pathology: 'C29', delivery: 'whole', via: 'content' },
  { pathology: 'B20', delivery: 'stream', via: 'call' },
  { pathology: 'D20', delivery: 'stream', via: 'content' },
  { pathology: 'A3', delivery: 'whole', via: 'call', like: 'groq' },
  { pathology: 'G2', delivery: 'stream', via: 'content' },
  { pathology: 'D17', delivery: 'whole', via: 'content' },
  { pathology: 'F11', delivery: 'stream', via: 'content' },
  { pathology: 'S13', delivery: 'stream', via: 'content' },
  { pathology: 'C24', delivery: 'stream', via: 'content' },
  { pathology: 'A5', delivery: 'stream', via: 'call', like: 'groq' },
  { pathology: 'E18', delivery: 'stream', via: 'content' },
  { pathology: 'D11', delivery: 'whole', via: 'content' },
  { pathology: 'D18', delivery: 'stream', via: 'content' },
  { pathology: 'C7', delivery: 'whole', via: 'content' },
  { pathology: 'B11', delivery: 'stream', via: 'call' },
  { pathology: 'G3', delivery: 'whole', via: 'call' },
  { pathology: 'F8', delivery: 'whole', via: 'content' },
  { pathology: 'D16', delivery: 'whole', via: 'content' },
  { delivery: 'stream', via: 'grammar' },
];

const wires = wiresFor(wireSlots);

/** A slot with its wire. */
export type PlannedSlot = WireSlot & { readonly wire: ChatWireId };

/** The slot of each document: the seed turns the list, so another seed pairs them otherwise, and all of them show every time. */
export function slotOf(index: number, seed: number): PlannedSlot {
  const place = (index + seed - 1) % wireSlots.length;
  const slot = wireSlots[place] ?? { delivery: 'whole', via: 'content' };
  return { ...slot, wire: wires[place] ?? 'openai-chat' };
}
