/** Whole phrases, in their folded form, and the words that they mean. German compounds stand here, because a word list cannot split them. */
const phrases: Readonly<Record<string, string>> = {
  rechnungsnummer: 'invoice number',
  rechnungsnr: 'invoice number',
  rechnungsdatum: 'invoice date',
  rechnungsbetrag: 'total amount',
  rechnungsempfanger: 'customer',
  rechnungsadresse: 'billing address',
  lieferadresse: 'shipping address',
  lieferdatum: 'delivery date',
  gesamtbetrag: 'total amount',
  gesamtsumme: 'total amount',
  gesamtpreis: 'total price',
  endbetrag: 'total amount',
  'grand total': 'total',
  'amount due': 'total amount',
  'total due': 'total',
  'balance due': 'total',
  'zu zahlen': 'total',
  falligkeitsdatum: 'due date',
  'fallig am': 'due date',
  'fallig bis': 'due date',
  'zahlbar bis': 'due date',
  'payable by': 'due date',
  'payment due': 'due date',
  'due by': 'due date',
  'due on': 'due date',
  zwischensumme: 'subtotal',
  'sub total': 'subtotal',
  nettobetrag: 'subtotal',
  'net amount': 'subtotal',
  'net total': 'subtotal',
  mehrwertsteuer: 'tax',
  umsatzsteuer: 'tax',
  einzelpreis: 'unit price',
  stuckpreis: 'unit price',
  'price each': 'unit price',
  kundennummer: 'customer number',
  kundennr: 'customer number',
  kundenname: 'customer name',
  bestellnummer: 'order number',
  bestelldatum: 'order date',
  auftragsnummer: 'order number',
  artikelnummer: 'item number',
  geburtsdatum: 'birth date',
  'date of birth': 'birth date',
  birthday: 'birth date',
  dob: 'birth date',
  vorname: 'first name',
  'given name': 'first name',
  nachname: 'last name',
  'family name': 'last name',
  surname: 'last name',
  familienname: 'last name',
  'full name': 'name',
  telefonnummer: 'phone',
  'phone number': 'phone',
  'e mail': 'email',
  'email address': 'email',
  'mail address': 'email',
  'e mail address': 'email',
  'e mail adresse': 'email',
  postleitzahl: 'postcode',
  'post code': 'postcode',
  'postal code': 'postcode',
  'zip code': 'postcode',
  'unit price': 'unit price',
  'line total': 'line total',
  startdatum: 'start date',
  enddatum: 'end date',
  beginn: 'start',
  'po number': 'order number',
  'mw st': 'tax',
  'u st': 'tax',
  'bill to': 'customer',
  'billed to': 'customer',
  'sold to': 'customer',
  'rechnung an': 'customer',
  born: 'birth date',
  'geboren am': 'birth date',
  'ship to': 'shipping address',
  'deliver to': 'delivery address',
};

/** Single words, in their folded form, and the word they are read as. */
const synonyms: Readonly<Record<string, string>> = {
  no: 'number',
  nr: 'number',
  num: 'number',
  nummer: 'number',
  id: 'number',
  identifier: 'number',
  reference: 'number',
  ref: 'number',
  rechnung: 'invoice',
  inv: 'invoice',
  datum: 'date',
  gesamt: 'total',
  summe: 'total',
  sum: 'total',
  fallig: 'due',
  falligkeit: 'due',
  betrag: 'amount',
  price: 'price',
  preis: 'price',
  cost: 'price',
  kosten: 'price',
  qty: 'quantity',
  menge: 'quantity',
  anzahl: 'quantity',
  count: 'quantity',
  stuck: 'quantity',
  pcs: 'quantity',
  beschreibung: 'description',
  bezeichnung: 'description',
  desc: 'description',
  article: 'item',
  artikel: 'item',
  product: 'item',
  produkt: 'item',
  position: 'item',
  positions: 'items',
  positionen: 'items',
  lines: 'items',
  adresse: 'address',
  anschrift: 'address',
  strasse: 'street',
  stadt: 'city',
  ort: 'city',
  town: 'city',
  plz: 'postcode',
  zip: 'postcode',
  land: 'country',
  tel: 'phone',
  telefon: 'phone',
  telephone: 'phone',
  mobile: 'phone',
  mobil: 'phone',
  handy: 'phone',
  mail: 'email',
  wahrung: 'currency',
  kunde: 'customer',
  client: 'customer',
  buyer: 'customer',
  kaufer: 'customer',
  lieferant: 'vendor',
  verkaufer: 'vendor',
  supplier: 'vendor',
  seller: 'vendor',
  merchant: 'vendor',
  vat: 'tax',
  mwst: 'tax',
  ust: 'tax',
  steuer: 'tax',
  netto: 'subtotal',
  prioritat: 'priority',
  bestellung: 'order',
  auftrag: 'order',
  firma: 'company',
  unternehmen: 'company',
  organisation: 'company',
  organization: 'company',
  titel: 'title',
  betreff: 'subject',
  bemerkung: 'notes',
  bemerkungen: 'notes',
  notiz: 'notes',
  note: 'notes',
  remark: 'notes',
  remarks: 'notes',
  comment: 'notes',
  comments: 'notes',
  severity: 'level',
  schweregrad: 'level',
  nachricht: 'message',
  msg: 'message',
  zeit: 'time',
  timestamp: 'time',
  ts: 'time',
  rabatt: 'discount',
  bezahlt: 'paid',
  zustand: 'status',
  state: 'status',
  rolle: 'role',
  alter: 'age',
  lieferung: 'delivery',
  versand: 'shipping',
  fahigkeiten: 'skills',
  sprachen: 'languages',
  people: 'person',
  children: 'child',
  personen: 'person',
  service: 'component',
  logger: 'component',
  module: 'component',
  source: 'component',
};

/** Words that say nothing about which fact is meant. */
const empty = new Set([
  'the',
  'a',
  'an',
  'of',
  'for',
  'der',
  'die',
  'das',
  'des',
  'am',
  'is',
  'to',
  'in',
  'and',
  'und',
  'your',
  'our',
  'this',
]);

/** Lower case, without accents; camel, snake and kebab case split; words only. */
export function foldedWords(text: string): readonly string[] {
  return text
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .replaceAll('ß', 'ss')
    .replaceAll('#', ' number ')
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

const longestPhraseWords = 4;

/** The words that a label or a name means, after phrases and synonyms; empty words left out, each word once. */
export function meaning(text: string): readonly string[] {
  const words = foldedWords(text);
  const meant = new Set<string>();
  for (let start = 0; start < words.length; ) {
    let taken = 1;
    let reading: string | undefined;
    for (let length = Math.min(longestPhraseWords, words.length - start); length > 0 && reading === undefined; length -= 1) {
      reading = phrases[words.slice(start, start + length).join(' ')];
      if (reading !== undefined) taken = length;
    }
    const word = words[start] ?? '';
    for (const one of (reading ?? synonyms[word] ?? word).split(' ')) if (!empty.has(one)) meant.add(one);
    start += taken;
  }
  return [...meant];
}

/** A word without the ending of its plural. */
export function singular(word: string): string {
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`;
  return word.endsWith('s') && !word.endsWith('ss') && word.length > 3 ? word.slice(0, -1) : word;
}
