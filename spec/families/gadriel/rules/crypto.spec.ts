import { describeRules } from './rule-table.ts';

describeRules('import hashlib\nimport os\nimport random\n', [
  {
    rule: 'CRYPTO-001',
    bad: `
hashlib.md5(b"a").hexdigest()
---
from hashlib import sha1
sha1(b"a")
---
hashlib.new("MD5", b"a")
---
hashlib.new(name="sha1", data=b"a")
---
from Crypto.Hash import MD5
MD5.new(b"a")
---
from cryptography.hazmat.primitives import hashes
def make():
    return hashes.Hash(hashes.SHA1())
---
def store(password):
    return hashlib.md5(password.encode()).hexdigest()
`,
    good: `
hashlib.sha256(b"a").hexdigest()
---
hashlib.md5(b"a", usedforsecurity=False)
---
hashlib.new("sha512", b"a")
---
import hmac
hmac.new(b"key", b"a", hashlib.sha1)
---
from cryptography.hazmat.primitives import hashes, hmac
def make(key):
    return hmac.HMAC(key, hashes.SHA1())
---
class Tool:
    def md5(self, data):
        return data
Tool().md5(b"a")
---
def digest(*args, **options):
    return hashlib.md5(*args, **options)
`,
  },
  {
    rule: 'CRYPTO-002',
    bad: `
from Crypto.Cipher import DES
def lock(key):
    return DES.new(key, DES.MODE_CBC, os.urandom(8))
---
from Cryptodome.Cipher import ARC4
def lock(key):
    return ARC4.new(key)
---
from Crypto.Cipher import AES
def lock(key):
    return AES.new(key, AES.MODE_ECB)
---
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
def lock(key):
    return Cipher(algorithms.AES(key), modes.ECB())
---
from cryptography.hazmat.primitives.ciphers import algorithms
def lock(key):
    return algorithms.Blowfish(key)
---
import pyDes
def lock(key):
    return pyDes.des(key)
`,
    good: `
from Crypto.Cipher import AES
def lock(key, nonce):
    return AES.new(key, AES.MODE_GCM, nonce=nonce)
---
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
def lock(key):
    return Cipher(algorithms.AES(key), modes.GCM(os.urandom(12)))
---
from cryptography.fernet import Fernet
def lock(key, text):
    return Fernet(key).encrypt(text)
---
class DES:
    @staticmethod
    def new(key):
        return key
DES.new(b"a")
`,
  },
  {
    rule: 'CRYPTO-003',
    bad: `
from Crypto.PublicKey import RSA
RSA.generate(1024)
---
from cryptography.hazmat.primitives.asymmetric import rsa
rsa.generate_private_key(65537, 1024)
---
from cryptography.hazmat.primitives.asymmetric import rsa
SIZE = 512
rsa.generate_private_key(public_exponent=65537, key_size=SIZE)
---
from cryptography.hazmat.primitives.asymmetric import ec
ec.generate_private_key(ec.SECP192R1())
---
from Crypto.PublicKey import DSA
DSA.generate(bits=1024)
---
import rsa
rsa.newkeys(512)
`,
    good: `
from Crypto.PublicKey import RSA
RSA.generate(3072)
---
from cryptography.hazmat.primitives.asymmetric import ec
ec.generate_private_key(ec.SECP256R1())
---
from cryptography.hazmat.primitives.asymmetric import rsa
def make(size):
    return rsa.generate_private_key(65537, size)
---
class Report:
    def generate(self, size):
        return size
Report().generate(1024)
`,
  },
  {
    rule: 'CRYPTO-004',
    bad: `
token = random.getrandbits(128)
---
def make():
    password = "".join(random.choice("abc") for _ in range(8))
    return password
---
class User:
    def reset(self):
        self.reset_token = str(random.randint(0, 999999))
---
def make_otp():
    return random.randint(100000, 999999)
---
import numpy as np
salt = np.random.bytes(16)
---
def send(user):
    code = random.randint(100000, 999999)
    user.verification_code = code
---
from random import choices
session_id = "".join(choices("abc", k=20))
---
def generate_token():
    letters = "".join(random.choices("abc", k=20))
    return letters
---
values = {"api_key": random.random()}
---
create_user(password=str(random.random()))
`,
    good: `
import secrets
token = secrets.token_hex(16)
---
token = random.SystemRandom().getrandbits(128)
---
delay = random.uniform(0, 1)
---
colour = random.choice(["red", "blue"])
---
def pick(tokens):
    token = random.choice(tokens)
    return token
---
def make_boundary():
    token = random.randrange(1000)
    return token
---
def sample_rows(rows):
    return random.sample(rows, 5)
---
password_length = random.randint(8, 12)
`,
  },
  {
    rule: 'CRYPTO-005',
    bad: `
from Crypto.Cipher import AES
def lock(key, text):
    return AES.new(key, AES.MODE_CBC, b"0" * 16).encrypt(text)
---
from Crypto.Cipher import AES
IV = b"0123456789abcdef"
def lock(key):
    return AES.new(key, AES.MODE_CBC, iv=IV)
---
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
def lock(key):
    return Cipher(algorithms.AES(key), modes.CTR(b"0123456789abcdef"))
---
def derive(password):
    return hashlib.pbkdf2_hmac("sha256", password, b"salt", 600000)
---
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
def lock(key, text):
    return AESGCM(key).encrypt(b"0123456789ab", text, None)
---
import bcrypt
def store(password):
    return bcrypt.hashpw(password, b"$2b$12$abcdefghijklmnopqrstuu")
`,
    good: `
from Crypto.Cipher import AES
def lock(key):
    return AES.new(key, AES.MODE_CBC, os.urandom(16))
---
def derive(password, salt):
    return hashlib.pbkdf2_hmac("sha256", password, salt, 600000)
---
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
def lock(key, text):
    nonce = os.urandom(12)
    return nonce + AESGCM(key).encrypt(nonce, text, None)
---
from Crypto.Cipher import AES
def lock(key):
    return AES.new(key, AES.MODE_GCM)
---
def run(tool):
    return tool.encrypt(b"0123456789ab", "text")
`,
  },
  {
    rule: 'CRYPTO-006',
    bad: `
import hashlib
def store(user, text):
    digest = hashlib.md5(text).hexdigest()
    user.set_password(digest)
---
def store(password):
    return hashlib.sha256(password.encode()).hexdigest()
---
def store(user, salt):
    return hashlib.sha512(salt + user.password).hexdigest()
---
def derive(password, salt):
    return hashlib.pbkdf2_hmac("sha256", password, salt, 1000)
---
import bcrypt
bcrypt.gensalt(rounds=6)
---
from cryptography.hazmat.primitives.kdf.pbkdf2 import PBKDF2HMAC
from cryptography.hazmat.primitives import hashes
def derive(salt):
    return PBKDF2HMAC(algorithm=hashes.SHA256(), length=32, salt=salt, iterations=5000)
---
from passlib.hash import md5_crypt
def store(secret):
    return md5_crypt.hash(secret)
---
import crypt
def store(secret):
    return crypt.crypt(secret, crypt.METHOD_MD5)
---
PASSWORD_HASHERS = ["django.contrib.auth.hashers.UnsaltedMD5PasswordHasher"]
---
from Crypto.Protocol.KDF import PBKDF2
def derive(text, salt):
    return PBKDF2(text, salt)
---
def store(form):
    return hashlib.new("sha256", form["password"].encode()).hexdigest()
`,
    good: `
def store(user, text):
    user.set_password(text)
---
from argon2 import PasswordHasher
def store(password):
    return PasswordHasher().hash(password)
---
def store(password, salt):
    return hashlib.scrypt(password, salt=salt, n=16384, r=8, p=1)
---
def derive(password, salt):
    return hashlib.pbkdf2_hmac("sha256", password, salt, 600000)
---
import bcrypt
bcrypt.gensalt()
---
def digest(data):
    return hashlib.sha256(data).hexdigest()
---
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher", "django.contrib.auth.hashers.MD5PasswordHasher"]
---
from passlib.hash import bcrypt
def store(password):
    return bcrypt.using(rounds=12).hash(password)
`,
  },
]);
