// The list is frozen: another word in it would change what people compare. A new list would be "gage/words/v2".
// Words of 4 to 8 letters, told apart by their first four and by sound, written for this project.

/** The 256 first words of a pair, by byte. */
export const adjectives: readonly string[] = (
  'able active alert alpine amber ancient angular antique aquatic arctic ashen atomic austere azure baked balmy basic beige bitter ' +
  'blank bold bouncy brave breezy brief bright bronze brown bubbly bumpy candid careful central chalky cheery civic classic clean ' +
  'clever cloudy coastal cobalt compact cool copper cosmic covert crafty creamy crimson crisp crooked crunchy curly curved cyclic ' +
  'dainty damp dashing decent deft dense digital direct dizzy docile dotted dusty eager earthy eastern easy ebony elegant empty ' +
  'endless equal exact exotic expert fair familiar famous fancy fertile final flaky flexible floral fluffy fluid foggy folded ' +
  'fragile free friendly frosty future gallant gentle genuine gifted glad glassy gleaming great groovy happy helpful hidden high ' +
  'hollow honest horned humble humid ideal immune indigo inland inner instant ivory jagged jolly jovial joyful juicy jumbo keen ' +
  'kind knotty large lavish lilac linear liquid literal little lofty long lucky lush magnetic marine massive merry mighty mindful ' +
  'modern moist molten muddy musical mystic narrow normal northern novel olive onyx opaque optic orange organic ornate outer papery ' +
  'parallel patient peaceful pearly perfect petite plain playful plump polar porous precious pretty primal prompt proper public ' +
  'purple quaint quilted quirky radiant random regal relaxed remote ripe roasted robust rough ruby sacred satin scarlet scenic ' +
  'sensible serene shady short shrewd silent silky silver simple sleepy slender slim smooth snowy solemn sour special spiral ' +
  'stellar stormy strong subtle sugary sunny sweet symbolic tart thick thorny tidy topaz tranquil tropical ultra upbeat urban ' +
  'useful vacant velvet verbal vibrant vintage violet virtual visible vocal volcanic wheaten white winged wintry wooden zealous'
).split(' ');

/** The 256 second words of a pair, by byte. */
export const nouns: readonly string[] = (
  'acorn alcove almond alpaca anchor angle anvil apron arbor arcade atlas attic badge ballad bamboo banana banjo banner barley barn ' +
  'basket beacon beaver bell bench bicycle blossom boat bonfire bottle boulder bread broom brush buckle buffalo button cabin cactus ' +
  'camera canal canyon caravan cargo carpet castle chimney cider cinema circle citrus clam clarinet cliff cobra coconut coffee ' +
  'collar compass condor creek cricket crystal cushion cymbal cypress delta diamond dolphin domino donkey dragon drum easel eclipse ' +
  'elephant emerald envelope falcon feather fender fiddle fjord flute forest fossil fountain frog fruit galaxy garden garlic ' +
  'gazelle gecko giraffe glacier goblet goose gorilla granite grape guitar hammock harvest hawk hickory igloo iguana iris jackal ' +
  'jaguar jasmine javelin jewel jigsaw journal juniper keyboard kimono kitchen kite ladder lagoon lantern lasso laurel lava lemon ' +
  'leopard lettuce library lighter lily linen lizard lobster locket lumber lynx magnet magpie meadow medal melody meteor mineral ' +
  'mirror mitten monsoon morning mosaic moth muffin museum mushroom mustard napkin nebula necklace needle nest nickel notebook ' +
  'nugget nutmeg oasis oboe ocean octopus onion opal opera orchard osprey ostrich palace panda papaya parrot peanut pebble pelican ' +
  'pencil penguin picnic pigeon pillow poem pollen portrait powder prairie pumpkin puppet puzzle pyramid quartz quasar quilt quiver ' +
  'rabbit raccoon radar radish rainbow raisin raven reindeer ribbon saffron satchel scarf scooter shelf sketch sofa sonnet spinach ' +
  'sponge squid stable stallion sundial swallow swan tapestry teapot tennis thistle tomato tortoise toucan tractor triangle trumpet ' +
  'tulip tunnel turkey umbrella unicorn urchin vanilla violin vulture waffle walnut warbler whale whisper widget window wolf wombat ' +
  'yacht yogurt zephyr'
).split(' ');
