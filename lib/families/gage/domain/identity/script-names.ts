/** Scripts as Unicode names them, the commonest first; every script that somebody writes names in today. */
export const scriptNames: readonly string[] = (
  'Latin Cyrillic Greek Han Hiragana Katakana Hangul Arabic Hebrew Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada ' +
  'Malayalam Sinhala Thai Lao Tibetan Myanmar Georgian Armenian Ethiopic Khmer Mongolian Cherokee Canadian_Aboriginal Syriac Thaana ' +
  'Bopomofo Yi Tifinagh Nko Vai Javanese Balinese Sundanese Buginese Tai_Le New_Tai_Lue Tai_Tham Tai_Viet Cham Lepcha Limbu Lisu ' +
  'Bamum Ol_Chiki Osage Adlam Coptic Gothic Ogham Runic Glagolitic Deseret Shavian Meetei_Mayek Saurashtra Kayah_Li Rejang ' +
  'Syloti_Nagri Tagalog Hanunoo Buhid Tagbanwa Batak Samaritan Mandaic Phags_Pa Hanifi_Rohingya Miao Mro Newa Chakma Wancho Toto'
).split(' ');
